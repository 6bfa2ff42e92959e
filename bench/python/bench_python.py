"""What Python costs, beside C++ in the same run:

    ./run python bench/python/bench_python.py [--quick]

The figures of docs/python.md are what this prints."""
import argparse
import dataclasses
import time

import numpy as np
import penumbra as pn
import twins
from penumbra.gym import Env, VectorEnv


def best_of(function, seconds):
    """Seconds of one call: the median of the best half of the runs, machines being busy."""
    function()
    times, until = [], time.perf_counter() + seconds
    while time.perf_counter() < until or len(times) < 5:
        began = time.perf_counter()
        function()
        times.append(time.perf_counter() - began)
    times.sort()
    return times[len(times) // 4]


def step_time(model, lanes, seconds):
    """Of one call of step for a batch, with its random numbers and the way through Python."""
    rng = pn.Rng(1, lanes)
    memory = model._core.sample_initial(rng)
    actions = rng.fold("actions").below(model.facts.num_actions).astype("i4")
    step = rng.fold("step")
    return best_of(lambda: model._core.step(memory, actions, step), seconds)


def bench_steps(seconds):
    pairs = {
        "light-dark": (pn.model(twins.LightDark()), pn.make("light-dark")),
        "rock-sample(20,20)": twins.rock_sample_twins(20, 20),
    }
    print("| step of a batch | lanes | NumPy, us | C++, us | NumPy, ns a lane | ratio |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, (py, cpp) in pairs.items():
        for lanes in (256, 1024, 4096, 16384):
            a, b = step_time(py, lanes, seconds), step_time(cpp, lanes, seconds)
            print(
                f"| {name} | {lanes} | {1e6 * a:.1f} | {1e6 * b:.1f} | {1e9 * a / lanes:.1f} "
                f"| {a / b:.2f} |",
                flush=True,
            )


def solve_time(model, backups, threads, episodes):
    """The solution, and the seconds of processor time until it was there."""
    began = time.process_time()
    solution = pn.solve(model, "nvi", backups=backups, threads=threads, episodes=10, seed=2)
    spent = time.process_time() - began
    solution = dataclasses.replace(
        solution, value=pn.evaluate(model, solution, episodes, seed=1_000_002)
    )
    return solution, spent


def bench_solves(backups, episodes):
    pairs = {
        "light-dark": (pn.model(twins.LightDark()), pn.make("light-dark")),
        "rock-sample(7,8)": twins.rock_sample_twins(7, 8),
    }
    print("\n| nvi, backups | threads | NumPy, s | C++, s | ratio | score NumPy | score C++ |")
    # Seconds of processor time: the machine may have other things to do.
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, (py, cpp) in pairs.items():
        for threads in (1, 2):
            (a, first), (b, second) = (solve_time(m, backups, threads, episodes) for m in (py, cpp))
            scores = " | ".join(
                f"{s.value.mean:.3f} +- {s.value.standard_error:.3f}" for s in (a, b)
            )
            print(
                f"| {name}, {backups} | {threads} | {first:.1f} | {second:.1f} "
                f"| {first / second:.2f} | {scores} |",
                flush=True,
            )


def bench_environments(seconds):
    print("\n| environment | lanes | us a step | million steps a second |")
    print("|---|--:|--:|--:|")
    for domain in ("tiger", "rock-sample(n=7,k=8)", "light-dark"):
        env = Env(domain, max_steps=0)

        def one():
            env.reset(seed=1)
            for _ in range(100):
                env.step(0)

        if domain == "light-dark":
            env.reset(seed=1)
        each = best_of(one, seconds) / 100
        print(f"| {domain}, one | 1 | {1e6 * each:.2f} | {1e-6 / each:.2f} |", flush=True)
    for domain in ("tiger", "rock-sample(n=7,k=8)", "light-dark"):
        envs = VectorEnv(domain, 1024, max_steps=100)
        envs.reset(seed=1)
        actions = np.zeros(1024, "i8")
        each = best_of(lambda: envs.step(actions), seconds)
        print(f"| {domain}, vector | 1024 | {1e6 * each:.1f} | {1024e-6 / each:.2f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a second of each, for the tests")
    quick = parser.parse_args().quick
    bench_steps(0.05 if quick else 1.0)
    bench_environments(0.05 if quick else 1.0)
    bench_solves(2 if quick else 2000, 200 if quick else 20_000)
