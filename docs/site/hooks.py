"""What mkdocs does not do by itself for the site of the docs.

- Pages link to files beside docs/ (`../examples/online.cpp`), as they must in the repository. Here each
  such file becomes a page under `source/` and the link leads there.
- The help of every command is asked from the program, so that it is never older than it.
- Doxygen writes the C++ part, where it is installed.
- Links to headings are checked (mkdocs 1.4 looks at files only), and that every page is in `nav`.

What is missing is a warning, which --strict refuses.
"""
import html.parser
import json
import logging
import os
import posixpath
import re
import shutil
import subprocess
import urllib.parse
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
MADE = ROOT / "build" / "site-sources"  # pages that are made, not written
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
PICTURE = re.compile(r'(\bsrc(?:set)?=")([^"]+)(")')
LANGUAGES = {".cpp": "cpp", ".h": "cpp", ".py": "python", ".js": "javascript", ".sh": "bash",
             ".toml": "toml", ".txt": "text", ".ipynb": "json", ".cmake": "cmake"}
log = logging.getLogger("mkdocs.hooks")


def outside(link, page):
    """The path in the repository that a link of a page there leads to, if it is none of docs/."""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme or parts.netloc or not parts.path:
        return None
    target = posixpath.normpath(posixpath.join(posixpath.dirname(page), parts.path))
    path = ROOT / target
    if target.startswith(("docs/", "..")) or not path.exists():
        return None
    return target


def place(target):
    """Where in docs/ the page of a file of the repository stands."""
    return f"docs/source/{target}" + ("" if target.endswith(".md") else ".md")


def rewrite(text, page, stands):
    """The text of `page`, shown at `stands`, with its links leading where the site has them."""

    def one(match):
        link = match[2]
        target = outside(link, page)
        fragment = urllib.parse.urlsplit(link).fragment
        if target is None:
            if page == stands or urllib.parse.urlsplit(link).scheme or link.startswith("#"):
                return match[0]
            target = posixpath.normpath(
                posixpath.join(posixpath.dirname(page), urllib.parse.urlsplit(link).path))
        else:
            target = place(target)
        new = posixpath.relpath(target, posixpath.dirname(stands))
        return match[1] + new + (f"#{fragment}" if fragment else "") + match[3]

    return LINK.sub(one, text) if page == stands else PICTURE.sub(one, LINK.sub(one, text))


def source_page(target):
    """A file or folder of the repository as the text of a page."""
    path = ROOT / target
    if path.is_dir():
        rows = [f"- [{f.name}]({path.name}/{f.name})" for f in sorted(path.iterdir())
                if f.is_file() and not f.name.startswith(".")]
        return f"# {target}\n\n" + "\n".join(rows) + "\n"
    text = path.read_text()
    if path.suffix == ".md":
        return text
    language = LANGUAGES.get(path.suffix, "text")
    return f"# {target}\n\n``````{language}\n{text}\n``````\n"


def command_page():
    """What the program says about itself, command by command."""
    program = os.environ.get("PENUMBRA", str(ROOT / "build" / "release" / "penumbra"))

    def asked(*words):
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "100"}
        said = subprocess.run([program, *words], capture_output=True, text=True, env=environment)
        if said.returncode != 0:
            raise OSError(f"penumbra {' '.join(words)}: {said.stderr}")
        return "```text\n" + said.stdout.strip().replace(str(ROOT), ".") + "\n```\n"

    text = ["# Help of every command\n\nThis page is what the program prints. "
            "[The command line](../cli.md) explains it.\n"]
    try:
        main = asked("--help")
        text.append(f"## penumbra\n\n{main}")
        commands = main[main.index("Commands:"):main.index("Examples:")]
        for name in re.findall(r"^  (\w+)  ", commands, re.M):
            text.append(f"## penumbra {name}\n\n" + asked(name, "--help"))
        for kind in ("solvers", "planners"):
            said = subprocess.run([program, kind, "--json"], capture_output=True, text=True)
            for entry in json.loads(said.stdout):
                text.append(f"## {kind[:-1]} {entry['name']}\n\n" + asked(kind, entry["name"]))
    except OSError as error:
        log.warning("the program does not tell its commands (./run docs builds it): %s", error)
    return "\n".join(text)


def add_page(files, config, uri, text):
    path = MADE / uri
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    files.append(File(uri, str(MADE), config["site_dir"], config["use_directory_urls"]))


def on_files(files, config):
    """Leaves out what makes the site, and adds the sources that pages link to, and those that they do."""
    for file in [f for f in files if f.src_uri.startswith("site/")]:
        files.remove(file)
    shutil.rmtree(MADE, ignore_errors=True)
    add_page(files, config, "reference/commands.md", command_page())
    pages = [f"docs/{f.src_uri}" for f in files
             if f.src_uri.endswith(".md") and (ROOT / "docs" / f.src_uri).exists()]
    done = set()
    while pages:
        page = pages.pop()
        source = page.removeprefix("docs/source/") if page.startswith("docs/source/") else page
        if not source.endswith(".md") and not (ROOT / source).is_dir():
            continue
        text = (ROOT / source).read_text() if source.endswith(".md") else source_page(source)
        for match in LINK.finditer(text):
            target = outside(match[2], source)
            if target is None or target in done:
                continue
            done.add(target)
            stands = place(target).removeprefix("docs/")
            add_page(files, config, stands, rewrite(source_page(target), target, f"docs/{stands}"))
            pages.append(target)
    return files


def on_nav(nav, config, files):
    """Every page can be found, but for notes and sources, which others link to."""
    for file in files.documentation_pages():
        if file.page not in nav.pages and not file.src_uri.startswith(("notes/", "source/")):
            log.warning("docs/%s is in no group: add a line to nav in mkdocs.yml", file.src_uri)
    return nav


def on_page_markdown(markdown, page, config, files):
    uri = page.file.src_uri
    if uri.startswith("source/"):
        return markdown
    if uri == "reference/cpp.md" and shutil.which("doxygen"):
        markdown += '\n<a href="../api/annotated.html">Every class and function, by Doxygen</a>\n'
    return rewrite(markdown, f"docs/{uri}", f"docs/{uri}")


def on_page_content(html, page, config, files):
    """A heading of a table that says nothing is no heading."""
    return re.sub(r"<th( [^>]*)?></th>", r"<td\1></td>", html)


class Anchors(html.parser.HTMLParser):
    """The ids of a page, and the links in it that name one."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.pictures = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids.update(filter(None, (attrs.get("id"), attrs.get("name"))))
        self.pictures += filter(None, (attrs.get("src") if tag == "img" else None, attrs.get("srcset")))
        if tag == "a" and "#" in (attrs.get("href") or ""):
            self.links.append(attrs["href"])


def write_api(site):
    """The C++ part, made anew only when a header is younger."""
    made = ROOT / "build" / "api"
    inputs = [*(ROOT / "penumbra").rglob("*.h"), *(ROOT / "docs" / "site").iterdir()]
    index = made / "html" / "index.html"
    if not index.exists() or index.stat().st_mtime < max(p.stat().st_mtime for p in inputs):
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        options = (ROOT / "docs/site/Doxyfile").read_text() + f"\nOUTPUT_DIRECTORY = {made}\n"
        said = subprocess.run(["doxygen", "-"], input=options, cwd=ROOT, text=True,
                              capture_output=True)
        for line in said.stderr.splitlines():
            log.warning("doxygen: %s", line.replace(str(ROOT) + "/", ""))
    shutil.copytree(made / "html", site / "api", dirs_exist_ok=True)


def on_post_build(config):
    """Every link to a heading leads to one, and pictures are there."""
    site = Path(config["site_dir"])
    if shutil.which("doxygen"):
        write_api(site)
    pages = {p.relative_to(site).as_posix(): Anchors(p.read_text())
             for p in site.rglob("*.html") if "api" not in p.relative_to(site).parts}
    for name, page in sorted(pages.items()):
        for picture in page.pictures:  # those in HTML, which mkdocs does not look at
            if not picture.startswith(("data:", "http", "/")) and not (site / name).parent.joinpath(picture).exists():
                log.warning("%s: there is no picture %s", name, picture)
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or not parts.fragment or name == "404.html":
                continue
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), parts.path)) \
                if parts.path else name
            if (site / target).is_dir():
                target = posixpath.normpath(posixpath.join(target, "index.html"))
            fragment = urllib.parse.unquote(parts.fragment)
            if target in pages and fragment not in pages[target].ids:
                log.warning("%s: no heading #%s in %s", name, fragment, target)
