"""Builds the extension with CMake: pip install . --no-build-isolation

PENUMBRA_BUILD names a build folder to use and keep; otherwise it is build/pip."""
import os
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = os.path.dirname(os.path.abspath(__file__))


def version() -> str:
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        found = re.search(r"project\(penumbra VERSION ([0-9.]+)", file.read())
    if found is None:
        raise RuntimeError("CMakeLists.txt does not say which version this is")
    return found.group(1)


class CMakeBuild(build_ext):
    def build_extension(self, extension: Extension) -> None:
        folder = os.environ.get("PENUMBRA_BUILD", os.path.join(ROOT, "build", "pip"))
        print(f"building for {sys.executable} in {folder}")
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        if not os.path.exists(os.path.join(folder, "CMakeCache.txt")):
            generator += [
                "-DCMAKE_BUILD_TYPE=Release",
                "-DPENUMBRA_TESTS=OFF",
                "-DPENUMBRA_BENCH=OFF",
            ]
        else:
            generator = []
        subprocess.run(
            [
                "cmake",
                "-S",
                ROOT,
                "-B",
                folder,
                *generator,
                "-DPENUMBRA_PYTHON=ON",
                f"-DPython_EXECUTABLE={sys.executable}",
            ],
            check=True,
        )
        subprocess.run(
            ["cmake", "--build", folder, "--target", "penumbra_python", "penumbra_cli"], check=True
        )
        target = os.path.dirname(os.path.abspath(self.get_ext_fullpath(extension.name)))
        os.makedirs(os.path.join(target, "program"), exist_ok=True)
        built = os.path.join(folder, "python", "penumbra")
        for name in os.listdir(built):
            if name.startswith("_penumbra.") and name.endswith(".so"):
                shutil.copy2(os.path.join(built, name), target)
        shutil.copy2(os.path.join(folder, "penumbra"), os.path.join(target, "program"))


setup(
    version=version(),
    ext_modules=[Extension("penumbra._penumbra", [])],
    cmdclass={"build_ext": CMakeBuild},
)
