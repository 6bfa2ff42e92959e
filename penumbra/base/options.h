// Options are plain structs; each lists its fields once, with name, range and help. Flags, config
// files, logs and docs all come from that list.
//
//   struct NviOptions {
//     int particles = 1000;
//     void list(OptionList& l) { l.add("particles", particles, 1, 10'000'000, "per belief"); }
//   };
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace penumbra {

struct Option {
  std::string name, help, allowed, fallback;  // fallback: the value when it was listed
  std::function<std::string()> get;
  std::function<void(const std::string&)> set;  // throws Error on a bad value
};

class OptionList {
 public:
  void add(const std::string& name, int& field, int low, int high, const std::string& help);
  void add(const std::string& name, uint64_t& field, const std::string& help);
  void add(const std::string& name, double& field, double low, double high,
           const std::string& help);
  void add(const std::string& name, bool& field, const std::string& help);
  void add(const std::string& name, std::string& field, const std::vector<std::string>& choices,
           const std::string& help);

  // All of another list, as prefix-name.
  void add_all(const OptionList& other, const std::string& prefix);

  const std::vector<Option>& options() const { return options_; }
  // Throws Error offering the nearest name.
  void set(const std::string& name, const std::string& value);

 private:
  std::vector<Option> options_;
};

template <class Options>
OptionList list_options(Options& options) {
  OptionList list;
  options.list(list);
  return list;
}

}  // namespace penumbra
