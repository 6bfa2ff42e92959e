#!/usr/bin/env python3
"""The table of the README is that of the results, to the last digit.

    claims_test.py README.md results.json [--write]

What stands between <!-- results --> and <!-- /results --> is made from the file, which is the table.json of
`penumbra bench experiments/networks.toml --scale ten` (docs/bench.md), and from the published scores of
experiments/table.toml; --write puts it there.
"""
import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SOLVERS = ["NVI", "NVI, networks off", "SARSOP", "MCVI", "POMCGS", "Cells"]
PLACE = re.compile(r"(<!-- results -->\n)(.*?)(<!-- /results -->)", re.DOTALL)


def table(results):
    rows = {(r["model"], r["solver"]): r for r in results["rows"] if r["group"] == "table" and r.get("mean") is not None}
    models = list(dict.fromkeys(r["model"] for r in results["rows"] if r["group"] == "table"))
    table_of_paper = tomllib.loads((ROOT / "experiments/table.toml").read_text(encoding="utf-8"))
    published = {(p["model"], p["solver"]): p["mean"] for p in table_of_paper["published"]
                 if p["source"] == "the paper"}
    lines = ["| | " + " | ".join(models) + " |", "|---|" + "--:|" * len(models)]
    for solver in SOLVERS:
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
        lines.append(f"| {solver} | " + " | ".join(cells) + " |")
    shown = [r for (_, solver), r in rows.items() if solver in SOLVERS]
    error = max((r["standard_error"] or 0 for r in shown), default=0)
    lines += ["", f"Bold: the published score beats ours at this budget. Standard errors of the simulation are at most {error:.2f}.",
              f"Made on {results['created'][:10]} by {', '.join(results['programs'])} on {', '.join(results['machines'])}."]
    return "\n".join(lines) + "\n"


def main(page, results, write):
    text = page.read_text(encoding="utf-8")
    wanted = "\n" + table(json.loads(results.read_text(encoding="utf-8"))) + "\n"
    found = PLACE.search(text)
    if not found:
        sys.exit(f"{page}: there is no <!-- results --> ... <!-- /results -->")
    if found[2] == wanted:
        return
    if not write:
        sys.exit(f"{page} claims something else than {results} has; --write mends it:\n{wanted}")
    page.write_text(text[:found.start(2)] + wanted + text[found.end(2):], encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), "--write" in sys.argv[3:])
