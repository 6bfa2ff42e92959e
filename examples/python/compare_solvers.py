"""Several solvers on one problem, with pictures: compare.png and report.html.

    ./run python examples/python/compare_solvers.py [SECONDS] [FOLDER]"""
import os
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import penumbra as pn
from penumbra.plots import plot_scores

seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5
folder = sys.argv[2] if len(sys.argv) > 2 else "."
model = pn.make("rock-sample", n=5, k=5, map_seed=1)
names = ("nvi", "mcvi", "sarsop")

with tempfile.TemporaryDirectory() as runs:
    solutions = [
        pn.solve(model, name, time=seconds, episodes=10_000, run=os.path.join(runs, name))
        for name in names
    ]
    pn.report(solutions, episodes=2).save(os.path.join(folder, "report.html"))

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
for solution in solutions:
    print(solution)
    left.plot(solution.history["seconds"], solution.history["upper"], label=solution.solver)
left.set(xlabel="seconds", ylabel="upper value")
left.legend()
plot_scores([s.value for s in solutions], names, right)
figure.savefig(os.path.join(folder, "compare.png"))

best = max(solutions, key=lambda s: s.value.mean)
print("best is", best.solver, "- against random:", pn.compare(model, best, "random").difference)
