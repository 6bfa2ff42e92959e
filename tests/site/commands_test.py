#!/usr/bin/env python3
"""Runs every command block of a page in a folder of its own, as a reader would.

    commands_test.py PAGE.md PROGRAM [--write]

- ```console: lines after `$ ` are commands, what follows is compared with what they print, numbers to 2 %.
  `...` stands for any number of lines.
- Indented blocks whose lines begin with ./run or penumbra: commands without a printed answer.
- The README's struct is given to `penumbra check`, its Python to Python where the package was built.
- `<!-- file: NAME -->` before a block: the block is the content of that file.

What takes long is replaced by what is short (SHORTER, all of it), what a clock or machine decides is not
compared (VOLATILE). --write puts what was printed into the page, where that differs.
"""
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The only changes to a command before it is run.
SHORTER = [
    (r"^\./run(?=$)", "# the main job: what it runs is the fourth line below"),
    (r"^\./test\b.*", "# this test is part of it"),
    (r"^\./run docs\b.*", "# tests/site/build_test.sh"),
    (r"^\./run python\b.*", "# python/tests"),
    (r"^\./run (?=\S)", "penumbra "),
    (r"&& \./run ", "&& penumbra "),
    (r"--time (1m|30s|5s|10m)\b", "--time 1s"),
    (r"--episodes 20\b", "--episodes 2"),
    (r"(bench experiments/\S+ --scale smoke)", r"\1 --dry-run"),  # the test bench.smoke runs it
]

# What differs from machine to machine, on both sides of the comparison.
VOLATILE = [
    (r"speed .* per second: (\d+) in .*", r"speed \1"), (r"\d+\.\d+ M steps/s", "STEPS/s"),
    (r"in \d+\.\d+ s\b", "in T s"), (r"^ *\d+\.\d s  ", "T s  "), (r"\d+ M networks/s", "NETWORKS/s"),
    (r"\d+ MB\b", "N MB"), (r"threads \d+", "threads N"), (r"\d+\.\d+ ms of one core", "T ms of one core"),
    (r"(per backup: ).*", r"\1SHARES"), (r" +", " "),
]


def blocks(text):
    """(kind, argument, lines, first line number) of every block of the page that counts."""
    lines, at, found = text.split("\n"), 0, []
    file = None
    while at < len(lines):
        line = lines[at]
        named = re.match(r"<!-- file: (\S+) -->", line)
        if named:
            file = named[1]
        elif line.startswith("```"):
            end = next(i for i in range(at + 1, len(lines)) if lines[i].startswith("```"))
            language, body = line[3:].strip(), lines[at + 1:end]
            if file:
                found.append(("file", file, body, at + 1))
            elif language == "console":
                found.append(("console", "", body, at + 1))
            elif language in ("cpp", "python"):
                found.append((language, "", body, at + 1))
            file, at = None, end
        elif re.match(r"    (\./run|\./test|penumbra [a-z])", line) and (at == 0 or not lines[at - 1].strip()):
            end = at
            while end < len(lines) and lines[end].startswith("    "):
                end += 1
            found.append(("indented", "", [l[4:] for l in lines[at:end]], at))
            at = end
        at += 1
    return found


class Reader:
    """The folder of a reader, with `penumbra` in the path."""

    def __init__(self, program, folder):
        self.folder = Path(folder)
        bin = self.folder / "bin"
        bin.mkdir()
        (bin / "penumbra").symlink_to(program)
        self.work = self.folder / "work"
        self.work.mkdir()
        for name in ("experiments", "examples", "domains", "tests"):
            (self.work / name).symlink_to(ROOT / name)
        for model in (ROOT / "examples/plugins").glob("*.cpp"):  # pages tell the reader to take them
            shutil.copy(model, self.work)
        self.environment = {**os.environ, "PATH": f"{bin}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                            "XDG_CACHE_HOME": str(self.folder / "cache"), "NO_COLOR": "1", "COLUMNS": "100"}
        (self.folder / "cache").mkdir(mode=0o700)

    def run(self, command):
        for pattern, replacement in SHORTER:
            command = re.sub(pattern, replacement, command)
        done = subprocess.run(["bash", "-c", command], cwd=self.work, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240)
        return done.returncode, done.stdout.rstrip("\n").split("\n") if done.stdout.strip() else []


def steady(line):
    for pattern, replacement in VOLATILE:
        line = re.sub(pattern, replacement, line)
    return line.strip()


NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def alike(shown, printed):
    """Whether two lines say the same: processors round otherwise, and a plan may turn out otherwise at a tie."""
    if NUMBER.sub("N", shown) != NUMBER.sub("N", printed):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed))
    return all(abs(float(a) - float(b)) <= 0.02 * abs(float(a)) + 0.002 for a, b in pairs)


def matches(shown, printed):
    """Whether what was printed is what is shown, `...` being any lines."""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(matches(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and alike(steady(shown[0]), steady(printed[0])) and matches(shown[1:], printed[1:])


def split_console(lines):
    """[(command, shown lines)]; a command goes on after a backslash."""
    out = []
    for line in lines:
        if line.startswith("$ "):
            out.append([line[2:], []])
        elif out and not out[-1][1] and out[-1][0].endswith("\\"):
            out[-1][0] += "\n" + line.removeprefix("> ")
        elif out:
            out[-1][1].append(line)
    return out


def struct_of(lines):
    """The README's struct as a file that commands take."""
    text = "\n".join(lines)
    return ("#include <penumbra/penumbra.h>\nusing namespace penumbra;\n"
            + text[:text.index("auto model")] + "\nPENUMBRA_MODEL(Boxes);\n")


def run_python(reader, program, lines, where, problems):
    """A block that imports the package, where that was built beside the program."""
    package, text = program.parent / "python", "\n".join(lines)
    if "penumbra as pn" not in text or not list((package / "penumbra").glob("*.so")):
        return 0
    (reader.work / "block.py").write_text(text.replace('time="5s"', 'time="1s"') + "\n")
    code, printed = reader.run(f"PYTHONPATH={package} /usr/bin/python3 block.py")
    if code:
        problems.append(f"{where}: " + "\n".join(printed[-10:]))
    return 1


def main():
    page, program = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    write = "--write" in sys.argv[3:]
    text, problems, count = page.read_text(), [], 0
    known = (ROOT / "tests/signature.txt").read_text().split()
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(program, folder)
        reader.run("penumbra evaluate tiger --policy random --episodes 1 --run facts")
        facts = json.loads((reader.work / "facts/facts.json").read_text())
        compared = facts["instruction_set"] in known  # others round, and may plan, otherwise
        for kind, argument, lines, number in blocks(text):
            if kind == "file":
                (reader.work / argument).write_text("\n".join(lines) + "\n")
            elif kind == "cpp" and "auto model" in "\n".join(lines):
                (reader.work / "readme.cpp").write_text(struct_of(lines))
                code, printed = reader.run("penumbra check readme.cpp")
                count += 1
                if code:
                    problems.append(f"{page.name}:{number}: the struct: " + "\n".join(printed))
            elif kind == "python":
                count += run_python(reader, program, lines, f"{page.name}:{number}", problems)
            elif kind in ("indented", "console"):
                pairs = split_console(lines) if kind == "console" else [
                    (l.split("  #")[0].rstrip(), None) for l in lines if l.strip()]
                for command, shown in pairs:
                    code, printed = reader.run(command)
                    count += 1
                    if code:
                        problems.append(f"{page.name}:{number}: {command}\n  ended with {code}:\n  "
                                        + "\n  ".join(printed[-10:]))
                    elif shown is not None and write and not matches(shown, printed):
                        text = text.replace("\n".join([f"$ {command}", *shown]),
                                            "\n".join([f"$ {command}", *printed]), 1)
                    elif shown is not None and compared and not matches(shown, printed):
                        problems.append(f"{page.name}:{number}: {command}\n" + "\n".join(
                            difflib.unified_diff(shown, printed, "shown", "printed", lineterm="", n=1)))
    if write:
        page.write_text(text)
    for problem in problems:
        print(problem)
    print(f"{page.name}: {count} commands, {len(problems)} problems")
    if count == 0:
        print("no command was found: the page or this test has changed its form")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
