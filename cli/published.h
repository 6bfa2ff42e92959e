// Scores that others have published for the problems of this program, with where they stand. They
// are theirs: on maps, machines and time limits of their own.
#pragma once

#include <string>
#include <vector>

namespace penumbra::cli {

struct PublishedScore {
  const char* model;   // "RS(7,8)"
  const char* solver;  // as its authors call it
  double mean;
  double spread;     // as published; NaN: none given
  const char* kind;  // "offline" or "online" planner
  const char* source;
  const char* note = "";
};

// The short name of a problem that has published scores, empty for all others. Parameters that
// change the problem (rules, rewards, a fixed map) make it another one.
std::string published_name(const std::string& domain);
std::vector<PublishedScore> published_scores(const std::string& name);

}  // namespace penumbra::cli
