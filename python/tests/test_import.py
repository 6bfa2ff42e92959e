import os
import subprocess
import sys

import penumbra as pn
import pytest


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_import_is_cheap_and_brings_nothing_large():
    code = (
        "import time, numpy; t = time.process_time(); import sys, penumbra;"
        "print(time.process_time() - t);"
        "print([m for m in ('matplotlib', 'gymnasium', 'IPython') if m in sys.modules])"
    )
    best = min(float(run(code).stdout.split()[0]) for _ in range(3))
    assert best < 0.2
    assert run(code).stdout.split("\n")[1] == "[]"


def test_version_is_the_programs():
    program = os.environ.get("PENUMBRA_PROGRAM")
    if not program:
        pytest.skip("the program is not named")
    said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    assert pn.__version__ in said


def test_without_the_extension_it_says_what_to_run(tmp_path, source):
    (tmp_path / "penumbra").symlink_to(os.path.join(source, "python", "penumbra"))
    done = run("import penumbra", PYTHONPATH=str(tmp_path))
    assert done.returncode != 0
    assert "pip install . --no-build-isolation" in done.stderr
    assert "./run python" in done.stderr


def test_all_names_are_there():
    for name in pn.__all__:
        assert getattr(pn, name) is not None
