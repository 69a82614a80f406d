"""Checks the form of the documents: python3 Tests/Documents/form.py [--wrap]

- Lines have at most 120 characters, but for tables, code and the pages that the program prints. With --wrap, paragraphs
  with longer ones are wrapped; code between backquotes stays on one line, since the tests read URLs from it.
- Diagrams are files that any page shows: no Mermaid, which the site would show as code.
"""
import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
GENERATED = {"commands", "settings", "metrics", "errors"}
WIDTH = 120

ITEM = re.compile(r"(\s*)((?:[-*]|\d+\.)\s+(?:\[.\]\s+)?)?(.*)", re.S)
# A word, in which backquotes may enclose spaces.
WORD = re.compile(r"(?:`[^`]*`|[^\s`])+|`")
# What would be a mark at the start of a line.
MARK = re.compile(r"(?:[-+*>#|]+|\d+\.|=+)$")


def paragraphs(lines):
    """The paragraphs and items of lists, each as the numbers of its first line and of the line behind it."""
    start, fenced = None, False
    for number, line in enumerate([*lines, ""]):
        fence = line.lstrip().startswith("```")
        if fence:
            fenced = not fenced
        text = bool(line.strip()) and not (fence or fenced or re.match(r"\s*(?:#+ |\||<|!\[)", line))
        if start is not None and (not text or ITEM.match(line).group(2)):
            yield start, number
            start = None
        if text and start is None:
            start = number


def wrapped(lines):
    indent, marker, text = ITEM.match("\n".join(lines)).groups()
    rest = indent + " " * len(marker or "")
    result, line = [], indent + (marker or "").rstrip()
    for word in WORD.findall(" ".join(text.split("\n"))):
        joined = f"{line} {word}" if line.strip() else line + word
        if len(joined) > WIDTH and line.strip():
            if MARK.match(word):
                line, _, previous = line.rpartition(" ")
                word = f"{previous} {word}"
            result.append(line)
            joined = rest + word
        line = joined
    return [*result, line]


def pages():
    paths = [*sorted((TOP / "docs").glob("*.md")), TOP / "README.md", TOP / "CONTRIBUTING.md"]
    return {path: path.read_text().split("\n") for path in paths if path.stem not in GENERATED}


def wrap():
    for path, lines in pages().items():
        result, done = [], 0
        for start, end in paragraphs(lines):
            if any(len(line) > WIDTH for line in lines[start:end]):
                result += lines[done:start] + wrapped(lines[start:end])
                done = end
        if done:
            path.write_text("\n".join(result + lines[done:]))


def mistakes():
    for path, lines in pages().items():
        name = path.relative_to(TOP)
        for start, end in paragraphs(lines):
            for number in range(start, end):
                if len(lines[number]) > WIDTH:
                    yield f"{name}:{number + 1}: {len(lines[number])} characters instead of {WIDTH}; --wrap wraps them"
        for number, line in enumerate(lines):
            if line.startswith("```mermaid"):
                yield f"{name}:{number + 1}: the site shows Mermaid as code; draw it in docs/diagrams"
    shown = "\n".join(path.read_text() for path in (TOP / "docs").glob("*.md"))
    for path in (TOP / "docs/diagrams").glob("*.svg"):
        xml.parse(path)
        if f"](diagrams/{path.name})" not in shown:
            yield f"docs/diagrams/{path.name}: no page shows it"


if "--wrap" in sys.argv:
    wrap()
elif found := list(mistakes()):
    sys.exit("\n".join(found))
