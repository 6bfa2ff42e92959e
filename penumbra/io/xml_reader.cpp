#include "penumbra/io/xml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace penumbra {
namespace {

constexpr size_t kMaxDepth = 2000;
constexpr size_t kMaxAttributes = 64;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool in_name(char c) {
  return !is_space(c) && c != '<' && c != '>' && c != '/' && c != '=' && c != '"' && c != '\'' &&
         c != '&' && c != '!' && c != '?' && static_cast<unsigned char>(c) > 32;
}

void append_utf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

}  // namespace

XmlReader::XmlReader(const SourceText& source) : source_(source), all_(source.text()) {
  if (all_.starts_with("\xef\xbb\xbf")) next_ = 3;  // a byte order mark
}

void XmlReader::skip_space() {
  while (next_ < all_.size() && is_space(all_[next_])) ++next_;
}

void XmlReader::skip_to(std::string_view end, const char* what) {
  const size_t found = all_.find(end, next_);
  if (found == std::string_view::npos) fail(fmt::format("{} is not closed", what));
  next_ = found + end.size();
}

std::string_view XmlReader::read_name(const char* what) {
  const size_t begin = next_;
  while (next_ < all_.size() && in_name(all_[next_])) ++next_;
  if (next_ == begin) fail(begin, fmt::format("{} is expected here", what));
  return all_.substr(begin, next_ - begin);
}

// &lt; and the like.
std::string XmlReader::decode(std::string_view raw) const {
  std::string out;
  for (size_t i = 0; i < raw.size();) {
    const size_t mark = std::min(raw.find('&', i), raw.size());
    out += raw.substr(i, mark - i);
    if (mark == raw.size()) break;
    const size_t here = static_cast<size_t>(raw.data() - all_.data()) + mark;
    const size_t end = raw.substr(mark, 12).find(';');
    if (end == std::string_view::npos) fail(here, "a lone '&' is written &amp;");
    const std::string_view name = raw.substr(mark + 1, end - 1);
    static constexpr std::pair<std::string_view, char> kNamed[] = {
        {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    const auto* known = std::find_if(std::begin(kNamed), std::end(kNamed),
                                     [&](const auto& pair) { return pair.first == name; });
    if (known != std::end(kNamed)) {
      out += known->second;
    } else {
      uint32_t code = 0;
      const bool hex = name.starts_with("#x");
      const char* last = name.data() + name.size();
      const auto result =
          name.starts_with("#")
              ? std::from_chars(name.data() + (hex ? 2 : 1), last, code, hex ? 16 : 10)
              : std::from_chars_result{name.data(), std::errc::invalid_argument};
      if (result.ec != std::errc() || result.ptr != last || code == 0 || code > 0x10ffff)
        fail(here,
             fmt::format("the entity &{}; is not known, and documents may not define any", name));
      append_utf8(out, code);
    }
    i = mark + end + 1;
  }
  return out;
}

void XmlReader::read_attributes() {
  attributes_.clear();
  while (true) {
    const size_t before = next_;
    skip_space();
    at_ = std::min(at_, all_.size());
    if (next_ >= all_.size()) fail("this element is not closed");
    if (all_[next_] == '>' || all_[next_] == '/') return;
    if (next_ == before) fail(next_, "a blank is missing before an attribute");
    const size_t where = next_;
    const std::string_view name = read_name("an attribute or '>'");
    skip_space();
    if (next_ >= all_.size() || all_[next_] != '=')
      fail(where, fmt::format("the attribute {} has no value", quoted(name)));
    ++next_;
    skip_space();
    const char quote = next_ < all_.size() ? all_[next_] : ' ';
    if (quote != '"' && quote != '\'')
      fail(next_, fmt::format("the value of {} must stand in quotes", quoted(name)));
    const size_t end = all_.find(quote, next_ + 1);
    if (end == std::string_view::npos)
      fail(next_, fmt::format("the value of {} is not closed", quoted(name)));
    if (attribute(name)) fail(where, fmt::format("the attribute {} is given twice", quoted(name)));
    if (attributes_.size() == kMaxAttributes) fail(where, "too many attributes");
    attributes_.emplace_back(name, decode(all_.substr(next_ + 1, end - next_ - 1)));
    next_ = end + 1;
  }
}

XmlReader::Event XmlReader::open_tag() {
  ++next_;
  name_ = read_name("the name of an element");
  read_attributes();
  if (all_[next_] == '/') {
    if (next_ + 1 >= all_.size() || all_[next_ + 1] != '>') fail(next_, "'/>' is expected");
    closes_itself_ = true;
    ++next_;
  }
  ++next_;
  if (open_.size() == kMaxDepth) fail(fmt::format("elements nest deeper than {}", kMaxDepth));
  open_.emplace_back(name_, at_);
  return Event::kOpen;
}

XmlReader::Event XmlReader::close_tag() {
  next_ += 2;
  name_ = read_name("the name of an element");
  skip_space();
  if (next_ >= all_.size() || all_[next_] != '>') fail(next_, "'>' is expected");
  ++next_;
  if (open_.empty()) fail(fmt::format("</{}> closes nothing", name_));
  if (open_.back().first != name_)
    fail(fmt::format("</{}> stands where <{}> of line {} must be closed", quoted(name_),
                     open_.back().first, source_.line(open_.back().second)));
  open_.pop_back();
  return Event::kClose;
}

XmlReader::Event XmlReader::next() {
  if (closes_itself_) {
    closes_itself_ = false;
    name_ = open_.back().first;
    open_.pop_back();
    return Event::kClose;
  }
  while (next_ < all_.size()) {
    at_ = next_;
    const std::string_view rest = all_.substr(next_, 9);
    if (rest[0] != '<') {
      const size_t end = std::min(all_.find('<', next_), all_.size());
      text_ = all_.substr(next_, end - next_);
      raw_text_ = true;
      next_ = end;
      if (std::all_of(text_.begin(), text_.end(), is_space)) continue;
      if (open_.empty()) fail("text outside of the document's element");
      return Event::kText;
    }
    if (rest.starts_with("<!--")) {
      next_ += 4;
      skip_to("-->", "a comment");
    } else if (rest.starts_with("<![CDATA[")) {
      const size_t begin = next_ + 9;
      skip_to("]]>", "CDATA");
      text_ = all_.substr(begin, next_ - 3 - begin);
      raw_text_ = false;
      if (open_.empty()) fail("text outside of the document's element");
      return Event::kText;
    } else if (rest.starts_with("<?")) {
      skip_to("?>", "a processing instruction");
    } else if (rest.starts_with("<!")) {
      const size_t end = std::min(all_.find('>', next_), all_.size());
      if (all_.substr(next_, end - next_).find('[') != std::string_view::npos)
        fail("a document may not define entities or types of its own; leave <!DOCTYPE ...> out");
      skip_to(">", "a declaration");
    } else if (rest.starts_with("</")) {
      return close_tag();
    } else {
      return open_tag();
    }
  }
  at_ = all_.size();
  if (!open_.empty())
    fail(open_.back().second, fmt::format("<{}> is not closed", quoted(open_.back().first)));
  return Event::kEnd;
}

const std::string* XmlReader::attribute(std::string_view name) const {
  for (const auto& [key, value] : attributes_)
    if (key == name) return &value;
  return nullptr;
}

const std::string& XmlReader::required_attribute(std::string_view name) const {
  const std::string* value = attribute(name);
  if (!value) fail(fmt::format("<{}> needs the attribute {}", name_, name));
  return *value;
}

bool XmlReader::next_child() {
  switch (next()) {
    case Event::kOpen:
      return true;
    case Event::kText:
      fail("text has no place here");
    case Event::kClose:
    case Event::kEnd:
      break;
  }
  return false;
}

std::string_view XmlReader::content() {
  const std::string_view element = name_;
  std::string_view single;
  bool several = false;
  content_at_ = next_;
  for (bool first = true;; first = false) {
    const Event event = next();
    if (event == Event::kOpen)
      fail(fmt::format("<{}> holds text, not elements such as <{}>", element, quoted(name_)));
    if (event != Event::kText) break;
    const bool plain = !raw_text_ || text_.find('&') == std::string_view::npos;
    if (first && plain) {
      single = text_;
      continue;
    }
    if (!several) joined_ = single;
    several = true;
    joined_ += raw_text_ ? decode(text_) : std::string(text_);
  }
  return several ? std::string_view(joined_) : single;
}

size_t XmlReader::place(std::string_view part) const {
  const bool inside = part.data() >= all_.data() && part.data() <= all_.data() + all_.size();
  return inside ? static_cast<size_t>(part.data() - all_.data()) : content_at_;
}

void XmlReader::skip() {
  for (int depth = 1; depth > 0;) {
    const Event event = next();
    if (event == Event::kOpen) ++depth;
    if (event == Event::kClose) --depth;
    if (event == Event::kEnd) return;
  }
}

}  // namespace penumbra
