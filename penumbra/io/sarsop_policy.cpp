#include "penumbra/io/sarsop_policy.h"

#include <algorithm>

#include "penumbra/base/error.h"
#include "penumbra/io/number_words.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/io/text.h"
#include "penumbra/io/xml_reader.h"
#include "penumbra/io/xml_text.h"

namespace penumbra {
namespace {

constexpr double kMaxBytes = 8e9;

class PolicyReader {
 public:
  PolicyReader(const SourceText& source, const Tabular& model)
      : source_(source), xml_(source), model_(model) {
    out_.num_states = model.num_states;
    out_.num_actions = model.num_actions;
  }

  AlphaVectors read() {
    if (xml_.next() != XmlReader::Event::kOpen || xml_.name() != "Policy")
      xml_.fail("a policy begins with <Policy>");
    while (xml_.next_child()) {
      if (xml_.name() == "AlphaVector")
        read_vectors();
      else
        xml_.skip();
    }
    check_alpha_vectors(out_);
    return std::move(out_);
  }

 private:
  int attribute(const char* name, int low, int high) {
    const std::string& text = xml_.required_attribute(name);
    int64_t value = 0;
    if (!parse(text, value) || value < low || value > high)
      xml_.fail(fmt::format("{} must be a whole number from {} to {}, not {}", name, low, high,
                            quoted(text)));
    return static_cast<int>(value);
  }
  static bool parse(const std::string& text, int64_t& value) {
    char* end = nullptr;
    value = std::strtoll(text.c_str(), &end, 10);
    return !text.empty() && end == text.c_str() + text.size();
  }

  void read_vectors() {
    const int length = attribute("vectorLength", 1, model_.num_states);
    const int seen = attribute("numObsValue", 1, model_.num_states);
    if (int64_t(length) * seen != model_.num_states)
      xml_.fail(fmt::format("the policy is for {} x {} states; {} has {}", seen, length,
                            model_.name, model_.num_states));
    out_.parts.resize(seen);
    for (int s = 0; s < model_.num_states; ++s) out_.parts[s / length].push_back(s);
    while (xml_.next_child()) {
      const bool sparse = xml_.name() == "SparseVector";
      if (!sparse && xml_.name() != "Vector") xml_.fail("only <Vector> may stand here");
      AlphaVectors::Vector vector;
      vector.action = attribute("action", 0, model_.num_actions - 1);
      vector.part = xml_.attribute("obsValue") ? attribute("obsValue", 0, seen - 1) : 0;
      vector.value.assign(length, 0.0);
      if (sparse)
        read_sparse(vector.value);
      else
        read_dense(vector.value);
      out_.vectors.push_back(std::move(vector));
    }
  }

  void read_dense(std::vector<double>& value) {
    const std::string_view text = xml_.content();
    NumberWords words(source_, text, xml_.place(text));
    for (double& v : value) v = words.number();
    if (!words.at_end()) {
      words.word();
      words.fail(fmt::format("a vector has {} values; here is one more", value.size()));
    }
  }

  void read_sparse(std::vector<double>& value) {
    while (xml_.next_child()) {
      if (xml_.name() != "Entry") xml_.fail("only <Entry> may stand here");
      const std::string_view text = xml_.content();
      NumberWords words(source_, text, xml_.place(text));
      const int at = words.whole(0, static_cast<int>(value.size()) - 1, "the index of an entry");
      value[at] = words.number();
    }
  }

  const SourceText& source_;
  XmlReader xml_;
  const Tabular& model_;
  AlphaVectors out_;
};

// How many hidden states follow each visible value, 0 if the states are no such product.
int hidden_states(const Tabular& model) {
  if (model.visible.empty() || model.num_states % model.num_visible != 0) return 0;
  const int hidden = model.num_states / model.num_visible;
  for (int s = 0; s < model.num_states; ++s)
    if (model.visible[s] != s / hidden) return 0;
  return hidden;
}

}  // namespace

double worst_value(const Tabular& model) {
  double worst = 0;
  for (const auto& rewards : model.reward)
    for (double r : rewards) worst = std::min(worst, r);
  return worst / (1 - model.discount);
}

AlphaVectors read_sarsop_policy(const std::string& path, const Tabular& model) {
  const SourceText source = SourceText::load(path, kMaxBytes);
  return PolicyReader(source, model).read();
}

void write_sarsop_policy(const std::string& path, const AlphaVectors& vectors,
                         const Tabular& model) {
  const int hidden = hidden_states(model);
  const int length = hidden > 0 ? hidden : model.num_states;
  const double floor = worst_value(model);
  std::string out = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n";
  out += fmt::format(
      "<Policy version=\"0.1\" type=\"value\" model=\"{}\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xsi:noNamespaceSchemaLocation=\"policyx.xsd\">\n",
      xml_text(model.name));
  out += fmt::format("<AlphaVector vectorLength=\"{}\" numObsValue=\"{}\" numVectors=\"{}\">\n",
                     length, model.num_states / length, vectors.vectors.size());
  std::vector<double> values(length);
  for (const AlphaVectors::Vector& vector : vectors.vectors) {
    const std::vector<int>& states = vectors.parts[vector.part];
    const int seen = states.empty() ? 0 : states[0] / length;
    std::fill(values.begin(), values.end(), floor);
    for (size_t i = 0; i < states.size(); ++i) {
      if (states[i] / length != seen)
        throw Error(path +
                    ": a vector spans several visible values, which this format cannot say; "
                    "write a .policy file");
      values[states[i] % length] = vector.value[i];
    }
    out += fmt::format("<Vector action=\"{}\" obsValue=\"{}\">", vector.action, seen);
    for (double v : values) append(out, "{} ", v);
    out += "</Vector>\n";
  }
  out += "</AlphaVector> </Policy>\n";
  replace_file(path, out);
}

}  // namespace penumbra
