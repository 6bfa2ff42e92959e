"""The package under mypy, and its stub of the extension under stubtest, where mypy is installed."""
import os
import subprocess
import sys

import penumbra
import pytest

pytest.importorskip("mypy")


def mypy(module, *arguments, tmp_path, source):
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": os.path.dirname(os.path.dirname(penumbra.__file__))},
        capture_output=True,
        text=True,
        timeout=280,
    )


@pytest.mark.timeout(290)
def test_the_package_is_typed(tmp_path, source):
    done = mypy(
        "mypy",
        "--config-file",
        os.path.join(source, "pyproject.toml"),
        "--cache-dir",
        str(tmp_path),
        "-p",
        "penumbra",
        tmp_path=tmp_path,
        source=source,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.timeout(290)
def test_the_stub_is_true(tmp_path, source):
    done = mypy(
        "mypy.stubtest",
        "--ignore-missing-stub",
        "--ignore-unused-allowlist",
        "--allowlist",
        os.path.join(os.path.dirname(__file__), "stubtest_allow.txt"),
        "penumbra._penumbra",
        tmp_path=tmp_path,
        source=source,
    )
    assert done.returncode == 0, done.stdout + done.stderr
