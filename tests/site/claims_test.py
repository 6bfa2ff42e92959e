#!/usr/bin/env python3
"""The table of the README is that of the results, to the last digit.

    claims_test.py README.md results.json longer.json [--write]

What stands between <!-- results --> and <!-- /results --> is made from the file, which is the table.json of
`penumbra bench experiments/networks.toml --scale ten` (docs/bench.md), and from the published scores of
experiments/table.toml; --write puts it there. The second file is the table.json of experiments/table.toml at scale `paper`, as far
as it has come: what a solver has there is the row below its own.
"""
import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SOLVERS = ["NVI", "NVI, networks off", "SARSOP", "MCVI", "POMCGS", "Cells"]
PLACE = re.compile(r"(<!-- results -->\n)(.*?)(<!-- /results -->)", re.DOTALL)


def scored(results):
    return {(r["model"], r["solver"]): r for r in results["rows"] if r["group"] == "table" and r.get("mean") is not None}


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
              f"Made on {results['created'][:10]} by {', '.join(results['programs'])} on {', '.join(results['machines'])};",
              "minutes: " + ", ".join(f"{minutes} on {model}" for model, minutes in budgets.items()) +
              f", on {longer['created'][:10]} by {', '.join(longer['programs'])} on {', '.join(longer['machines'])}; [runs done of those wanted]."]
    return "\n".join(lines) + "\n"


def main(page, results, longer, write):
    text = page.read_text(encoding="utf-8")
    wanted = "\n" + table(*(json.loads(file.read_text(encoding="utf-8")) for file in (results, longer))) + "\n"
    found = PLACE.search(text)
    if not found:
        sys.exit(f"{page}: there is no <!-- results --> ... <!-- /results -->")
    if found[2] == wanted:
        return
    if not write:
        sys.exit(f"{page} claims something else than {results} and {longer} have; --write mends it:\n{wanted}")
    page.write_text(text[:found.start(2)] + wanted + text[found.end(2):], encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]), "--write" in sys.argv[4:])
