#include "cli/manual.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cli/listings.h"
#include "cli/roff.h"
#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/runs/version.h"
#include "penumbra/search/planners.h"
#include "penumbra/solvers/registry.h"

namespace penumbra::cli {
namespace {

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// The version without the commit: pages of one release are the same wherever they are made.
Roff begin_page(const std::string& name, const std::string& summary) {
  const std::string version = program_version();
  Roff page(upper_case(name), version.substr(0, version.find(" (")));
  page.section("NAME");
  page.paragraph(name + " - " + summary);
  return page;
}

void write_options(Roff& page, const CLI::App& app) {
  page.section("OPTIONS");
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty() || option->get_positional()) continue;
    std::string names = option->get_name(false, true);
    if (const size_t comma = names.find(','); comma != std::string::npos)
      names.insert(comma + 1, " ");
    page.item(names, option->get_items_expected_max() > 0 ? option->get_type_name() : "",
              option->get_description() + (option->get_required() ? " (required)" : ""));
  }
}

// "DOMAIN --policy TEXT [OPTIONS]"
std::string arguments_of(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional())
      text += option->get_required() ? option->get_name(true) + " "
                                     : fmt::format("[{}] ", option->get_name(true));
    else if (option->get_required())
      text += fmt::format("{} {} ", option->get_name(), option->get_type_name());
  }
  return text + "[OPTIONS]";
}

void write_arguments(Roff& page, const CLI::App& command) {
  bool first = true;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    if (std::exchange(first, false)) page.section("ARGUMENTS");
    page.item(option->get_name(true), "", option->get_description());
  }
}

// Of whatever has name, help, what is allowed and a default: parameters and options of solvers.
template <class List>
void write_settings(Roff& page, const List& list, const char* before) {
  for (const auto& p : list)
    page.item(before + p.name, "",
              fmt::format("{} ({}; default {})", p.help, p.allowed,
                          p.fallback.empty() ? "none" : p.fallback));
}

void write_solver_options(Roff& page) {
  page.section("OPTIONS OF THE SOLVERS");
  for (const SolverEntry& entry : solvers()) {
    const std::unique_ptr<Solver> solver = entry.make();
    const OptionList options = solver->options();
    page.subsection(entry.name);
    page.paragraph(entry.summary);
    write_settings(page, options.options(), "--");
  }
}

void write_domains(Roff& page) {
  page.section("DOMAINS AND THEIR PARAMETERS");
  for (const Domain& domain : domains()) {
    page.subsection(domain.name);
    page.paragraph(domain.summary);
    write_settings(page, domain_parameters(domain), "");
  }
}

void write_planners(Roff& page) {
  page.section("PLANNERS AND THEIR PARAMETERS");
  for (const search::PlannerInfo& planner : search::planners()) {
    page.subsection(planner.name);
    page.paragraph(planner.summary);
    write_settings(page, planner_parameters(planner.name), "");
  }
}

void write_references(Roff& page, const CLI::App& app, const std::string& self) {
  std::string list = self == "penumbra" ? "" : "penumbra(1), ";
  for (const CLI::App* sub : app.get_subcommands({}))
    if (const std::string name = "penumbra-" + sub->get_name(); name != self)
      list += name + "(1), ";
  page.section("SEE ALSO");
  page.paragraph(list.substr(0, list.size() - 2) + ".");
}

std::string command_page(const CLI::App& app, const CLI::App& command) {
  const std::string& command_name = command.get_name();
  const std::string name = "penumbra-" + command_name;
  Roff page = begin_page(name, command.get_description());
  page.section("SYNOPSIS");
  page.synopsis("penumbra " + command_name, arguments_of(command));
  write_arguments(page, command);
  write_options(page, command);
  if (command_name == "solve") write_solver_options(page);
  if (command_name == "domains") write_domains(page);
  if (command_name == "planners") write_planners(page);
  page.footer(command.get_footer());
  write_references(page, app, name);
  return page.text();
}

std::string main_page(const CLI::App& app) {
  Roff page = begin_page("penumbra", "plans under partial observability");
  page.section("SYNOPSIS");
  page.synopsis("penumbra", "COMMAND [OPTIONS]");
  page.section("DESCRIPTION");
  page.paragraph(app.get_description());
  page.section("COMMANDS");
  for (const CLI::App* command : app.get_subcommands({}))
    page.item(command->get_name(), "", command->get_description());
  page.paragraph("Every command has a page of its own, such as penumbra-solve(1).");
  write_options(page, app);
  page.section("DOMAINS");
  for (const Domain& domain : domains()) page.item(domain.name, "", domain.summary);
  page.paragraph("Their parameters: penumbra-domains(1).");
  page.section("SOLVERS");
  for (const SolverEntry& solver : solvers()) page.item(solver.name, "", solver.summary);
  page.paragraph("Their options: penumbra-solve(1).");
  page.section("PLANNERS");
  for (const search::PlannerInfo& planner : search::planners())
    page.item(planner.name, "", planner.summary);
  page.paragraph("Their parameters: penumbra-planners(1).");
  page.section("ENVIRONMENT");
  page.item("PENUMBRA_THREADS", "",
            "the value of --threads; so for every option, in capitals, with _ for -");
  page.item("CXX", "", "the compiler of models of one's own (c++)");
  page.section("FILES");
  page.item("$XDG_CACHE_HOME/penumbra, ~/.cache/penumbra", "",
            "compiled models of one's own; may be removed at any time");
  page.footer(app.get_footer());
  write_references(page, app, "penumbra");
  return page.text();
}

void write_page(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  if (!(out << text) || !out.flush()) throw Error("cannot write " + path.string());
}

}  // namespace

void write_manual(const CLI::App& app, const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(fmt::format("cannot make the folder {}: {}", folder, failed.message()));
  const std::filesystem::path root = folder;
  write_page(root / "penumbra.1", main_page(app));
  for (const CLI::App* command : app.get_subcommands({}))
    write_page(root / fmt::format("penumbra-{}.1", command->get_name()),
               command_page(app, *command));
}

}  // namespace penumbra::cli
