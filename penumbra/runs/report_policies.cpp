#include "penumbra/runs/report_policies.h"
#include "penumbra/model/coordinate_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "penumbra/evaluate/controller_use.h"
#include "penumbra/evaluate/record_episode.h"
#include "penumbra/io/policy_file.h"
#include "penumbra/model/action_stock.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/runs/report_alphas.h"
#include "penumbra/runs/score_json.h"
#include "penumbra/runs/watched.h"

namespace penumbra {
namespace {

// Few digits: a page has hundreds of thousands of these.
double rounded(double x, double digits = 1e3) {
  return std::round(x * digits) / digits;
}

Json rounded_list(const std::vector<float>& values) {
  Json list = Json::array();
  for (float v : values) list.push_back(rounded(v, 1e2));
  return list;
}

// Clusters of plain observations have their centres as names.
std::string seen_name(const PolicyFile& p, const Facts& facts, int o) {
  if (p.seen_dimension == 0) return facts.observation_name(o);
  std::string text = "≈";
  for (int d = 0; d < p.seen_dimension; ++d)
    text += fmt::format(" {:.3g}", p.seen_centres[size_t(o) * p.seen_dimension + d]);
  return text;
}

// [action, reach, visits, ended, [[to, p, [o, p, ...]], ...]], see web/main.js.
Json node_json(const Fsc& fsc, const ControllerUse& use, int node) {
  const double episodes = static_cast<double>(use.episodes);
  const double visits = static_cast<double>(use.visits[node]);
  std::map<int, std::vector<std::pair<double, int>>> ways;  // next node: observations
  for (int o = 0; o < fsc.num_observations; ++o) {
    const auto taken = static_cast<double>(use.taken[size_t(node) * fsc.num_observations + o]);
    ways[fsc.next(node, o)].emplace_back(visits > 0 ? taken / visits : 0.0, o);
  }
  Json edges = Json::array();
  for (auto& [to, seen] : ways) {
    std::sort(seen.begin(), seen.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    double total = 0;
    Json list = Json::array();
    for (const auto& [p, o] : seen) {
      total += p;
      // Beside one that occurs, those that never do are left out.
      if (p > 0 || seen.front().first == 0) {
        list.push_back(o);
        list.push_back(rounded(p, 1e4));
      }
    }
    edges.push_back({to, rounded(total, 1e5), std::move(list)});
  }
  const double ended = visits > 0 ? static_cast<double>(use.ended[node]) / visits : 0;
  return {fsc.action[node], rounded(static_cast<double>(use.episodes_with[node]) / episodes, 1e5),
          rounded(visits / episodes, 1e4), rounded(ended, 1e4), std::move(edges)};
}

Json controller_json(const Pomdp& model, const PolicyFile& file, const Fsc& fsc,
                     const ControllerUse& use) {
  const Facts& facts = model.facts();
  Json actions = Json::array(), observations = Json::array(), nodes = Json::array();
  for (int a = 0; a < facts.num_actions; ++a) actions.push_back(facts.action_name(a));
  for (int o = 0; o < facts.num_observations; ++o)
    observations.push_back(seen_name(file, facts, o));
  for (int n = 0; n < fsc.num_nodes(); ++n) nodes.push_back(node_json(fsc, use, n));
  return {{"actions", std::move(actions)},
          {"observations", std::move(observations)},
          {"start", fsc.start},
          {"nodes_before", file.controller().num_nodes()},
          {"episodes", use.episodes},
          {"nodes", std::move(nodes)}};
}

Json scene_json(const Scene& scene) {
  Json setting = Json::object();
  for (const auto& [name, values] : scene.setting) setting[name] = values;
  return {{"kind", scene.kind},
          {"fields", scene.fields},
          {"cloud_fields", scene.cloud_fields},
          {"setting", std::move(setting)}};
}

Json episode_json(const Pomdp& model, const PolicyFile& file, const RecordedEpisode& episode,
                  const Fsc* fsc) {
  const Facts& facts = model.facts();
  int node = fsc ? fsc->start : 0;
  Json steps = Json::array(), moments = Json::array();
  for (const TraceStep& s : episode.steps) {
    Json step{{"action", model.describe_action(s.action.data())},
              {"reward", rounded(s.reward)},
              {"state", model.describe_state(s.state.data())}};
    if (facts.num_observations > 0) {
      const int seen = index_of({s.seen.data(), s.seen.size(), 1}, 0);
      step["seen"] = seen_name(file, facts, seen);
      if (file.seen_dimension == 1) step["reading"] = rounded(file.seen_centres[seen]);
      if (fsc) {
        step["node"] = node;
        node = fsc->next(node, seen);
      }
    } else {
      step["seen"] = model.describe_seen(s.seen.data());
    }
    steps.push_back(std::move(step));
  }
  if (!episode.steps.empty())
    steps.back()["next"] = model.describe_state(episode.steps.back().next.data());
  for (const RecordedMoment& m : episode.moments) {
    Json moment{{"state", rounded_list(m.state)}, {"means", rounded_list(m.means)}};
    if (!m.cloud.empty()) moment["cloud"] = rounded_list(m.cloud);
    if (m.lost) moment["lost"] = true;
    moments.push_back(std::move(moment));
  }
  return {{"return", rounded(episode.total)},
          {"discount", facts.discount},
          {"ended", !episode.steps.empty() && episode.steps.back().ended},
          {"steps", std::move(steps)},
          {"moments", std::move(moments)}};
}

// The part of a tree that is shown: every action, what may be seen after the chosen one, and what
// would be done then; if there is room, what may be seen after the others.
// [level, label, share, value, lower, upper, chosen], see web/plan_tree.js.
Json tree_json(const std::vector<search::TreeRow>& rows) {
  constexpr int kMostRows = 48, kRanks = 4;
  std::vector<int> rank(rows.size(), kRanks);
  bool below_chosen = false;
  for (size_t i = 0; i < rows.size(); ++i) {
    const search::TreeRow& row = rows[i];
    if (row.level == 1) below_chosen = row.chosen;
    if (row.level <= 1) rank[i] = 0;
    if (row.level == 2) rank[i] = below_chosen ? 1 : 3;
    if (row.level == 3 && below_chosen && row.chosen) rank[i] = 2;
  }
  std::vector<bool> kept(rows.size(), false);
  int count = 0;
  for (int r = 0; r < kRanks; ++r)
    for (size_t i = 0; i < rows.size() && count < kMostRows; ++i)
      if (rank[i] == r) {
        kept[i] = true;
        ++count;
      }
  Json out = Json::array();
  for (size_t i = 0; i < rows.size(); ++i)
    if (kept[i])
      out.push_back({rows[i].level, rows[i].label, rounded(rows[i].share, 1e4),
                     rounded(rows[i].value), rounded(rows[i].lower), rounded(rows[i].upper),
                     rows[i].chosen});
  return out;
}

void add_episodes(const Pomdp& played, const Policy& policy, const PolicyFile& file, const Fsc* fsc,
                  const PictureOptions& options, PolicyPicture& picture) {
  constexpr int kTreeLevels = 3;
  std::optional<CoordinateScene> points;
  if (is_drawn_by_coordinates(played)) points.emplace(played);
  const Pomdp& model = points ? static_cast<const Pomdp&>(*points) : played;
  if (model.has(Capability::kScene)) picture.scene = scene_json(model.scene());
  RecordOptions how;
  how.max_steps = static_cast<int>(options.max_steps);
  const RngKey key = RngKey::from_seed(options.seed).fold("evaluate");
  const Watched watched(policy, kTreeLevels);
  for (uint64_t e = 0; e < options.episodes; ++e) {
    const RecordedEpisode episode = record_episode(model, watched, key, e, how);
    Json out{{"number", e}};
    out.update(episode_json(model, file, episode, fsc));
    out["particles"] = how.num_particles;
    for (size_t t = 0; t < watched.looks().size(); ++t) {
      const search::OnlinePolicy::Look& look = watched.looks()[t];
      out["steps"][t]["decision"] = decision_json(look.decision);
      out["steps"][t]["tree"] = tree_json(look.rows);
    }
    picture.episodes.push_back(std::move(out));
  }
}

}  // namespace

PolicyPicture draw_policy(const Pomdp& model, const std::string& path,
                          const PictureOptions& options, ThreadPool& pool) {
  const PolicyFile file = read_policy_file(path);
  check_policy_fits(file, model, path);
  const std::unique_ptr<Policy> policy = playable(file, model);
  PolicyPicture picture;
  Fsc fsc;
  if (file.controller().num_nodes() > 0) {
    const Fnc* with_networks = policy_as<Fnc>(file.policy);
    const Fnc fnc = minimised(with_networks ? *with_networks : Fnc{file.controller()});
    fsc = fnc.fsc;
    const int horizon = horizon_for(model.facts(), 1e-2);
    const ControllerUse use =
        controller_use(model, fsc, options.visits, horizon, options.seed, pool);
    // Real actions are shown as a finite set of those that nodes take.
    std::optional<ActionStock> view;
    if (fsc.action_width > 0) view.emplace(model, fsc.action_values);
    const Pomdp& shown = view ? static_cast<const Pomdp&>(*view) : model;
    picture.controller = controller_json(shown, file, fsc, use);
    picture.alphas = alphas_json(shown, fnc, use, options.seed);
  }
  // Alpha-vectors play by a belief, not by the nodes of the controller beside them.
  const bool by_node = dynamic_cast<const FscPolicy*>(policy.get()) != nullptr;
  add_episodes(model, *policy, file, by_node ? &fsc : nullptr, options, picture);
  return picture;
}

PolicyPicture draw_episodes(const Pomdp& model, const Policy& policy,
                            const PictureOptions& options) {
  PolicyPicture picture;
  // The centres of clusters, where there are some, name the observations.
  const PolicyFile file = model.facts().num_observations > 0
                              ? describe_policy(model, std::make_shared<const Fnc>())
                              : PolicyFile{};
  add_episodes(model, policy, file, nullptr, options, picture);
  return picture;
}

}  // namespace penumbra
