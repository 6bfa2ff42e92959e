#!/usr/bin/env python3
"""The tables of the README and of docs/reproduction.md are those of the results, to the last digit.

    claims_test.py README.md docs/reproduction.md results.json longer.json worlds.json [--write]

What stands between <!-- results --> and <!-- /results --> is made from the file, which is the table.json of
`penumbra bench experiments/networks.toml --scale ten` (docs/bench.md), and from the published scores of
experiments/table.toml; --write puts it there. The second file, longer.json, is the table.json of experiments/table.toml at scale `paper`, as far
as it has come: what a solver has there is the row below its own. The third, what was measured where states are too many for
any table (docs/notes/2026-11-worlds.md), stands between <!-- worlds --> and <!-- /worlds -->; bold where ours is ahead by two
standard errors of both. In docs/reproduction.md everything of the second file stands between <!-- minutes --> and
<!-- /minutes -->.
"""
import difflib
import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SOLVERS = ["NVI", "NVI, networks off", "SARSOP", "MCVI", "POMCGS", "Cells"]


def scored(results):
    return {(r["model"], r["solver"]): r for r in results["rows"] if r["group"] == "table" and r.get("mean") is not None}


def made_by(results):
    """The programs by name, each with its commits; the machines without what does not tell them apart."""
    commits = {}
    for program in results["programs"]:
        name, _, commit = program.partition(" (")
        commits.setdefault(name, []).append(commit.rstrip(")"))
    programs = ", ".join(f"{name} ({', '.join(of_name)})" for name, of_name in commits.items())
    machines = dict.fromkeys(", ".join(machine.split(", ")[:2]) for machine in results["machines"])
    return f"by {programs} on {'; '.join(machines)}"


def table(results, longer):
    rows, long_rows = scored(results), scored(longer)
    models = list(dict.fromkeys(r["model"] for r in results["rows"] if r["group"] == "table"))
    table_of_paper = tomllib.loads((ROOT / "experiments/table.toml").read_text(encoding="utf-8"))
    published = {(p["model"], p["solver"]): p["mean"] for p in table_of_paper["published"]
                 if p["source"] == "the paper"}
    lines = ["| | " + " | ".join(models) + " |", "|---|" + "--:|" * len(models)]

    def line(name, solver, rows):
        cells = []
        for model in models:
            row, paper = rows.get((model, solver)), published.get((model, solver))
            if row is None:
                cells.append("")
                continue
            cell = f"{row['mean']:.2f}"
            if row["runs"] < row["wanted"]:
                cell += f" [{row['runs']} of {row['wanted']}]"
            if paper is not None:
                cell += f" (**{paper:.2f}**)" if paper > row["mean"] else f" ({paper:.2f})"
            cells.append(cell)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")

    for solver in SOLVERS:
        line(solver, solver, rows)
        if any(other == solver for _, other in long_rows):
            line(f"{solver}, minutes", solver, long_rows)
    budgets = {model: max(round(r["seconds"] / 60) for (m, solver), r in long_rows.items() if m == model and solver in SOLVERS)
               for model in models if any(m == model and solver in SOLVERS for m, solver in long_rows)}
    shown = [r for (_, solver), r in [*rows.items(), *long_rows.items()] if solver in SOLVERS]
    error = max((r["standard_error"] or 0 for r in shown), default=0)
    lines += ["", f"Bold: the published score beats ours at this budget. Standard errors of the simulation are at most {error:.2f}.",
              f"Made on {results['created'][:10]} {made_by(results)}.",
              "Minutes: " + ", ".join(f"{minutes} on {model}" for model, minutes in budgets.items()) +
              f", up to {longer['created'][:10]}; [runs done of those wanted]. Made in pieces {made_by(longer)}."]
    return "\n".join(lines) + "\n"


def minutes_table(longer):
    rows = scored(longer)
    table = [r for r in longer["rows"] if r["group"] == "table"]
    models, solvers = (list(dict.fromkeys(r[key] for r in table)) for key in ("model", "solver"))
    cannot = {(r["model"], r["solver"]) for r in table if r["status"] == "not applicable"}
    lines = ["| | " + " | ".join(models) + " |", "|---|" + "--:|" * len(models)]
    for solver in solvers:
        cells = []
        for model in models:
            row = rows.get((model, solver))
            if row is None:
                cells.append("—" if (model, solver) in cannot else "")
                continue
            few = f" [{row['runs']}/{row['wanted']}]" if row["runs"] < row["wanted"] else ""
            error = row["standard_error"]  # none where a run has too few episodes to tell
            spread = "" if error is None else f" ± {max(error, 0.01):.2f}"
            cells.append(f"{row['mean']:.2f}{spread}{few}")
        if any(cell not in ("", "—") for cell in cells):
            lines.append(f"| {solver} | " + " | ".join(cells) + " |")
    lines += ["", f"{longer['done']} of {longer['cells']} runs. Mean over runs and its standard error from the simulation alone (0.01: at most that); "
              "[runs done/wanted]; —: the solver cannot take the model. Made in pieces " + made_by(longer) + "."]
    return "\n".join(lines) + "\n"


def worlds_table(worlds):
    lines = ["| | published, 1 s for every step | ours | episodes | how |", "|---|--:|--:|--:|---|"]
    before = None
    for row in worlds["rows"]:
        (theirs, their_error), (ours, error) = row["published"], row["ours"]
        digits = row["digits"]
        their_digits = row.get("published_digits", digits)
        again = row["problem"] == before
        before = row["problem"]
        # Levels, not winners, where the difference is within the noise.
        ahead = ours - theirs > 2 * (error**2 + their_error**2) ** 0.5
        score = f"{ours:.{digits}f} +- {error:.{digits}f}"
        lines.append("| " + " | ".join([
            "" if again else row["problem"],
            "" if again else f"{theirs:.{their_digits}f} +- {their_error:.{their_digits}f}",
            f"**{score}**" if ahead else score, f"{row['episodes']:,}".replace(",", " "), row["how"]]) + " |")
    return "\n".join(lines) + "\n"


def with_table(text, page, name, wanted):
    found = re.search(rf"(<!-- {name} -->\n)(.*?)(<!-- /{name} -->)", text, re.DOTALL)
    if not found:
        sys.exit(f"{page}: there is no <!-- {name} --> ... <!-- /{name} -->")
    return text[:found.start(2)] + "\n" + wanted + "\n" + text[found.end(2):]


def main(page, reproduction, results, longer, worlds, write):
    results, longer, worlds = (json.loads(file.read_text(encoding="utf-8")) for file in (results, longer, worlds))
    wanted = {page: [("results", table(results, longer)), ("worlds", worlds_table(worlds))],
              reproduction: [("minutes", minutes_table(longer))]}
    failed = []
    for file, tables in wanted.items():
        before = after = file.read_text(encoding="utf-8")
        for name, lines in tables:
            after = with_table(after, file, name, lines)
        if after == before:
            continue
        if write:
            file.write_text(after, encoding="utf-8")
        else:
            failed += difflib.unified_diff(before.splitlines(), after.splitlines(), str(file), "the results", lineterm="")
    if failed:
        sys.exit("claimed is something else than was measured; --write mends it:\n" + "\n".join(failed))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:6]), "--write" in sys.argv[6:])
