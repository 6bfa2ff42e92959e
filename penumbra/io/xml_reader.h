// A small pull parser for XML: elements, attributes, text, comments, CDATA, the five named
// characters and numbered ones. Entities that a document defines itself are refused, so nothing
// grows while it is read; nesting is bounded.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penumbra/io/source_text.h"

namespace penumbra {

class XmlReader {
 public:
  explicit XmlReader(const SourceText& source);

  enum class Event { kOpen, kClose, kText, kEnd };
  // Text that is only blank is left out; <a/> opens and closes. Throws Error where the document
  // is not well formed.
  Event next();
  // Of the last event.
  std::string_view name() const { return name_; }
  std::string_view text() const { return text_; }
  size_t at() const { return at_; }

  // An attribute of the element that was opened last, or nullptr.
  const std::string* attribute(std::string_view name) const;
  const std::string& required_attribute(std::string_view name) const;

  // After kOpen: true at each child element, false once the element is closed. Text between
  // children is refused.
  bool next_child();
  // After kOpen: the text of an element without children, up to its end. Valid until the next
  // call; place() tells where a part of it stands in the file.
  std::string_view content();
  size_t place(std::string_view part) const;
  // After kOpen: passes over the element with all that is in it.
  void skip();

  [[noreturn]] void fail(size_t at, const std::string& what) const { source_.fail(at, what); }
  [[noreturn]] void fail(const std::string& what) const { source_.fail(at_, what); }

 private:
  Event open_tag();
  Event close_tag();
  void read_attributes();
  void skip_to(std::string_view end, const char* what);
  std::string_view read_name(const char* what);
  void skip_space();
  std::string decode(std::string_view raw) const;

  const SourceText& source_;
  std::string_view all_;
  size_t next_ = 0, at_ = 0;
  std::string_view name_, text_;
  bool raw_text_ = true;  // the text may hold &...; references
  bool closes_itself_ = false;
  std::vector<std::pair<std::string_view, size_t>> open_;  // names, and where they were opened
  std::vector<std::pair<std::string_view, std::string>> attributes_;
  std::string joined_;
  size_t content_at_ = 0;
};

}  // namespace penumbra
