// A finite view of a model with a box of actions, for solvers that find actions of their own:
// action i is row i of a list that may grow. facts().num_actions counts the first rows, which stay
// and which stand for the box where all actions are gone through; rows added later are as good in
// step() and the like. A copy grows by itself.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "penumbra/base/rng.h"
#include "penumbra/model/action_table.h"

namespace penumbra {

class ActionStock final : public ActionTable {
 public:
  // `first`: row-major. The model outlives the view.
  ActionStock(const Pomdp& inner, std::span<const float> first);
  ActionStock(const ActionStock& other);

  int width() const { return static_cast<int>(actions_.record_size() / sizeof(float)); }
  int num_first() const { return facts().num_actions; }
  int count() const { return static_cast<int>(actions_.count()); }
  std::span<const float> row(int action) const {
    return {reinterpret_cast<const float*>(actions_.at(action)), size_t(width())};
  }
  std::span<const float> rows(int begin, int end) const {
    return {reinterpret_cast<const float*>(actions_.at(begin)), size_t(end - begin) * width()};
  }

  // The number of this action, new or not.
  int add(std::span<const float> action);
  // The same with a new row whatever there is.
  int append(std::span<const float> action);
  // Only the first rows and those in `used` stay, in their order. Returns the new numbers, -1:
  // gone.
  std::vector<int> keep(const std::vector<char>& used);

  template <class Archive>
  void archive(Archive& a) {
    std::vector<float> later;
    if constexpr (!Archive::kLoading) {
      const std::span<const float> all = rows(num_first(), count());
      later.assign(all.begin(), all.end());
    }
    a(later);
    if constexpr (Archive::kLoading) restore(later);
  }

 private:
  void restore(std::span<const float> later);
};

// Rows to begin with: the domain's hints, as many as there are; otherwise the middle of the box,
// its corners where these are few, and points that fill it evenly, `count` in all.
std::vector<float> first_actions(const Facts& facts, int count);

// Uniform in the box; or around a point of it, normal, with this deviation in widths of the box.
void draw_in_box(const Facts& facts, Rng& rng, std::span<float> out);
void draw_near(const Facts& facts, std::span<const float> centre, double deviation, Rng& rng,
               std::span<float> out);

// "1.57 0.9": for people.
std::string action_text(std::span<const float> action);

}  // namespace penumbra
