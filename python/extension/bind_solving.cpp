// Solving, going on with a run, reports and searches for options.
#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/runs/report.h"
#include "penumbra/runs/resume.h"
#include "penumbra/runs/solve_job.h"
#include "penumbra/runs/tuning.h"
#include "penumbra/runs/version.h"
#include "python/extension/shared.h"

namespace penumbra::python {
namespace {

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What one call has to do with Python while it works: who is told, and what they raised. An
// exception of theirs must wait until the solver has come to its end.
class Listener {
 public:
  Listener(py::object report, py::object tell, py::object warn, Interruptible& guard)
      : report_(std::move(report)), tell_(std::move(tell)), warn_(std::move(warn)), guard_(guard) {}

  void connect(CommonOptions& common) {
    common.tell = [this](const std::string& line) { call(tell_, line); };
    common.warn = [this](const std::string& line) { call(warn_, line); };
    common.interrupted = guard_.stop();
  }
  void report(const Json& record) { call(report_, text_of(record)); }

  bool stopped() const { return stopped_; }
  // Needs the GIL.
  void rethrow() {
    guard_.rethrow();
    if (raised_) throw *raised_;
  }

 private:
  void call(const py::object& to, const std::string& text) {
    py::gil_scoped_acquire gil;
    if (to.is_none() || raised_) return;
    try {
      to(text);
    } catch (py::error_already_set& error) {
      if (error.matches(PyExc_StopIteration))
        stopped_ = true;
      else
        raised_ = std::make_unique<py::error_already_set>(error);
      guard_.ask_to_end();
    }
  }

  py::object report_, tell_, warn_;
  Interruptible& guard_;
  bool stopped_ = false;
  std::unique_ptr<py::error_already_set> raised_;
};

struct SolveCall {
  SolveOptions o;
  OptionRecord options;

  SolveCall() { declare_solve_options(options, o); }
  void set(const Settings& settings) {
    for (const auto& [key, value] : settings) options.set(key, value);
  }
};

// (record as JSON, the policy, whether Ctrl-C or StopIteration ended it)
py::tuple solve(ModelHandle& model, const Settings& settings, const std::string& resume,
                bool other_build, py::object report, py::object tell, py::object warn,
                bool own_signals) {
  Interruptible guard(own_signals);
  Listener listener(std::move(report), std::move(tell), std::move(warn), guard);
  SolveCall call;
  SolveResult result;
  {
    py::gil_scoped_release work;
    if (resume.empty()) {
      call.set(settings);
      call.o.domain = model.text;
    } else {
      read_run_options(resume, settings, other_build, call.o, call.options);
      if (call.o.domain != model.text)
        throw Error(
            fmt::format("the run {} is of {}, not of {}", resume, call.o.domain, model.text));
    }
    call.o.scoring_when_cancelled = 0.3;
    listener.connect(call.o.common);
    SolveJob job(call.o, call.options, model.make);
    if (resume.empty())
      job.start_run();
    else
      job.resume_run();
    result = job.solve([&](const SolveProgress& p) { listener.report(progress_json(p)); });
  }
  listener.rethrow();
  auto policy = std::make_shared<PolicyHandle>(PolicyHandle{std::move(result.policy)});
  return py::make_tuple(text_of(result.fields), policy, guard.interrupted(), listener.stopped());
}

std::string run_domain(const std::string& folder) {
  for (const auto& [key, value] : RunFolder::open(folder).config())
    if (key == "domain") return value;
  return "";
}

py::tuple report(const std::string& path, uint64_t episodes, uint64_t steps, uint64_t visits,
                 uint64_t seed, int threads,
                 const std::vector<std::shared_ptr<ModelHandle>>& models, bool trust,
                 py::object warn) {
  Interruptible guard(false);
  Listener listener(py::none(), std::move(warn), py::none(), guard);
  Report out;
  {
    py::gil_scoped_release work;
    CommonOptions common;
    common.seed = seed;
    common.threads = static_cast<uint64_t>(threads);
    listener.connect(common);
    common.may_run = [trust](const std::string&) { return trust; };
    PictureOptions pictures;
    pictures.episodes = episodes;
    pictures.max_steps = steps;
    pictures.visits = visits;
    out = make_report(path, pictures, common,
                      [&](const std::string& domain) -> std::unique_ptr<Pomdp> {
                        for (const auto& m : models)
                          if (m->finite()->facts().name == domain || m->text == domain)
                            return m->make(true);
                        return nullptr;
                      });
  }
  listener.rethrow();
  return py::make_tuple(out.page, out.runs, out.controllers, out.episodes);
}

Json trial_json(const Trial& t) {
  Json out{
      {"number", t.number},     {"score", t.score},          {"standard_error", t.standard_error},
      {"episodes", t.episodes}, {"backups", t.backups},      {"seconds", t.seconds},
      {"status", t.status},     {"settings", Json::object()}};
  for (const auto& [name, value] : t.settings) out["settings"][name] = value;
  return out;
}

py::tuple tune_model(ModelHandle& model, const std::string& space, const Settings& settings,
                     py::object report, py::object warn, bool own_signals) {
  Interruptible guard(own_signals);
  Listener listener(std::move(report), py::none(), std::move(warn), guard);
  Json out;
  {
    py::gil_scoped_release work;
    TuneOptions o;
    OptionRecord options;
    declare_tune_options(options, o);
    for (const auto& [key, value] : settings) options.set(key, value);
    o.space = space;
    o.domain = model.text;
    listener.connect(o.common);
    const TuneResult found = tune(
        o, [&](const Trial& t) { listener.report(trial_json(t)); }, model.make);
    out = {{"domain", found.problem},
           {"config", found.config},
           {"stopped_early", found.stopped_early},
           {"best", found.best ? trial_json(*found.best) : Json()},
           {"trials", Json::array()},
           {"importance", Json::object()}};
    for (const Trial& t : found.trials) out["trials"].push_back(trial_json(t));
    for (const auto& [name, share] : found.importance) out["importance"][name] = share;
  }
  listener.rethrow();
  return py::make_tuple(text_of(out), guard.interrupted() || listener.stopped());
}

}  // namespace

void bind_solving(py::module_& m) {
  m.def("solve", solve, py::arg("model"), py::arg("settings"), py::arg("resume"),
        py::arg("other_build"), py::arg("report"), py::arg("tell"), py::arg("warn"),
        py::arg("own_signals"));
  m.def("run_domain", run_domain, py::arg("folder"));
  m.def("report", report, py::arg("path"), py::arg("episodes"), py::arg("steps"), py::arg("visits"),
        py::arg("seed"), py::arg("threads"), py::arg("models"), py::arg("trust"), py::arg("warn"));
  m.def("tune", tune_model, py::arg("model"), py::arg("space"), py::arg("settings"),
        py::arg("report"), py::arg("warn"), py::arg("own_signals"));
  m.def("version", program_version);
}

}  // namespace penumbra::python
