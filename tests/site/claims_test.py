#!/usr/bin/env python3
"""The tables of the README are those of the results, to the last digit.

    claims_test.py README.md results.json longer.json worlds.json [--write]

What stands between <!-- results --> and <!-- /results --> is made from the file, which is the table.json of
`penumbra bench experiments/networks.toml --scale ten` (docs/bench.md), and from the published scores of
experiments/table.toml; --write puts it there. The second file is the table.json of experiments/table.toml at scale `paper`, as far
as it has come: what a solver has there is the row below its own. The third, what was measured where states are too many for
any table (docs/notes/2026-11-worlds.md), stands between <!-- worlds --> and <!-- /worlds -->; bold where ours is ahead by two
standard errors of both.
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


def main(page, results, longer, worlds, write):
    text = page.read_text(encoding="utf-8")
    results, longer, worlds = (json.loads(file.read_text(encoding="utf-8")) for file in (results, longer, worlds))
    wanted = with_table(text, page, "results", table(results, longer))
    wanted = with_table(wanted, page, "worlds", worlds_table(worlds))
    if wanted == text:
        return
    if not write:
        changes = difflib.unified_diff(text.splitlines(), wanted.splitlines(), str(page), "the results", lineterm="")
        sys.exit(f"{page} claims something else than was measured; --write mends it:\n" + "\n".join(changes))
    page.write_text(wanted, encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:5]), "--write" in sys.argv[5:])
