"""Ctrl-C, in processes of their own."""
import os
import queue
import subprocess
import sys
import time

import pytest

HEAD = """
import os, signal, sys, threading, time
import numpy as np
import penumbra as pn
sys.path.insert(0, os.path.join(os.environ["PENUMBRA_SOURCE"], "bench", "python"))
import twins
at = []
def press(after, times=1, gap=0.05, what=signal.SIGINT):
    def go():
        time.sleep(after)
        for _ in range(times):
            at.append(time.monotonic())
            os.kill(os.getpid(), what)
            time.sleep(gap)
    threading.Thread(target=go, daemon=True).start()
def since():
    return time.monotonic() - at[0]
"""


def run(code, source):
    done = subprocess.run(
        [sys.executable, "-c", HEAD + code],
        env={**os.environ, "PENUMBRA_SOURCE": source},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("solver", ["nvi", "mcvi", "pomcgs", "sarsop", "hsvi2", "ppo", "cells"])
def test_the_best_so_far_is_returned(solver, source):
    domain = "light-dark" if solver == "cells" else "rock-sample(n=5,k=5)"
    said = run(
        f"""
m = pn.make("{domain}")
press(1.2)
r = pn.solve(m, "{solver}", time=60, episodes=1000)
if at:
    took = since()
    assert r.status in ("interrupted", "converged"), r.status
    assert took < 1.5 or r.status == "converged", took
assert pn.evaluate(m, r, 20).episodes == 20
print("fine")
""",
        source,
    )
    assert "fine" in said


def test_inside_a_python_model(source):
    said = run(
        """
m = pn.model(twins.LightDark())
press(2.5)
r = pn.solve(m, "nvi", time=60, episodes=1000, threads=2)
took = since()
assert r.status == "interrupted", r.status
assert took < 1.5, took
assert pn.evaluate(m, r, 20).episodes == 20
print("fine", took)
""",
        source,
    )
    assert "fine" in said


def test_a_second_one_raises_and_the_handler_is_back(source):
    said = run(
        """
before = signal.getsignal(signal.SIGINT)
press(1, times=2)
try:
    pn.solve("rock-sample(n=7,k=8)", "nvi", time=60)
    time.sleep(0.5)
    print("nothing was raised")
except KeyboardInterrupt:
    print("raised")
assert signal.getsignal(signal.SIGINT) is before
press(0.1)
try:
    time.sleep(5)
except KeyboardInterrupt:
    print("python's own")
""",
        source,
    )
    assert "raised" in said and "python's own" in said and "nothing" not in said


def test_calls_inside_of_calls(source):
    """A function of the progress evaluates; both hear of it, and nothing runs over."""
    said = run(
        """
def look(p):
    pn.evaluate("tiger", "random", 50, max_steps=5)
press(1.5, times=2, gap=0.02)
try:
    r = pn.solve("rock-sample(n=5,k=5)", "nvi", time=60, episodes=500, progress=look)
    time.sleep(0.5)
except KeyboardInterrupt:
    print("raised once")
""",
        source,
    )
    assert "raised once" in said


def test_an_ignored_signal_stays_ignored(source):
    said = run(
        """
signal.signal(signal.SIGINT, signal.SIG_IGN)
press(0.3, times=3)
r = pn.solve("tiger", "nvi", time=1.5, episodes=50)
print(r.status)
""",
        source,
    )
    assert "time" in said


def test_raise_carries_the_solution(source):
    said = run(
        """
press(1)
try:
    pn.solve("rock-sample(n=7,k=8)", "nvi", time=60, episodes=500, on_interrupt="raise")
except pn.Interrupted as error:
    print(error.solution.status, isinstance(error, KeyboardInterrupt))
""",
        source,
    )
    assert "interrupted True" in said


def test_evaluate_gives_the_score_so_far(source):
    said = run(
        """
press(0.5)
s = pn.evaluate("rock-sample(n=7,k=8)", "random", 10**9)
print(s.interrupted, 0 < s.episodes < 10**9)
""",
        source,
    )
    assert "True True" in said


def test_handlers_of_other_signals_run(source):
    said = run(
        """
class Alarm(Exception): pass
def ring(*_): raise Alarm
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.7)
began = time.monotonic()
try:
    pn.solve("rock-sample(n=7,k=8)", "nvi", time=60)
except Alarm:
    print("rang", time.monotonic() - began < 5)
""",
        source,
    )
    assert "rang True" in said


def test_in_another_thread_there_is_no_handler(source):
    said = run(
        """
got = []
t = threading.Thread(target=lambda: got.append(pn.solve("tiger", "nvi", time=1, episodes=50)))
t.start(); t.join(60)
print(got[0].status)
""",
        source,
    )
    assert "time" in said


def test_in_a_notebook():
    """The interrupt of a kernel, and the next cell has the solution."""
    pytest.importorskip("ipykernel")
    client = pytest.importorskip("jupyter_client")
    manager, kernel = client.manager.start_new_kernel(kernel_name="python3")
    try:

        def run_cell(code, interrupt_after=None):
            said, request = [], kernel.execute(code)
            deadline = time.monotonic() + 60
            press = None if interrupt_after is None else time.monotonic() + interrupt_after
            while time.monotonic() < deadline:
                if press is not None and time.monotonic() > press:
                    manager.interrupt_kernel()
                    press = None
                try:
                    message = kernel.get_iopub_msg(timeout=0.2)
                except queue.Empty:
                    continue
                if message["parent_header"].get("msg_id") != request:
                    continue
                said.append(message["content"])
                if message["msg_type"] == "status" and said[-1]["execution_state"] == "idle":
                    return str(said)
            raise TimeoutError(str(said))

        run_cell("import penumbra as pn; m = pn.make('rock-sample(n=5,k=5)')")
        run_cell("r = pn.solve(m, 'nvi', time=60, episodes=500)", interrupt_after=2)
        assert "interrupted" in run_cell("print(r.status)")
    finally:
        kernel.stop_channels()
        manager.shutdown_kernel(now=True)
