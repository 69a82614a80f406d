"""Measures the language of the documents: python3 Tests/Documents/language.py [--each]

Prints, for each kind of page and in all, how often a page speaks to its reader, how many clauses stand for a noun, and
how many verbs are passive, each per 100 words; exits with 1 beyond the limits.
"""
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
HOW_TOS = """install tutorial own-file csv react write browsers clients filters databases migrations postgresql tokens
    production deployment backups monitoring troubleshooting
    from from-postgrest from-hasura from-pocketbase from-directus from-datasette from-grdb""".split()
GENERATED = {"commands", "settings", "metrics", "errors"}
IRREGULAR = """built bound brought chosen cut done drawn found given held hidden kept known left lost made meant met put read
    run said seen sent set shown split taken told thrown understood written""".split()
PARTICIPLE = rf"(?:\w+ed|{'|'.join(IRREGULAR)})"

YOU = re.compile(r"\b(you|your|yours|yourself)\b", re.I)
# "what is", "what has", "whoever", "what they": a clause where a noun could stand.
CLAUSE = re.compile(r"\b(?:what|whatever|whoever)\s+(?:is|isn't|are|has|have|it|they|was|were|no|none|else|a|the)\b", re.I)
PASSIVE = re.compile(rf"\b(?:is|are|was|were|be|been|being|isn't|aren't)\s+(?:\w+ly\s+|not\s+|never\s+)?{PARTICIPLE}\b", re.I)
# Questions and headings of tables, such as "what is returned", aren't told apart: they are rare.

LIMITS = {"how-tos": (0.6, 0.02, 1.1), "all": (0.3, 0.20, 1.9)}


def prose(text):
    """The words that a reader reads: neither code, nor links' targets, nor comments."""
    text = re.sub(r"(?ms)^```.*?^```$|<!--.*?-->", " ", text)
    text = re.sub(r"`[^`]*`", "x", text)
    return re.sub(r"\]\([^)]*\)|https?://\S+", " ", text)


def measure(text):
    words = len(re.findall(r"[A-Za-z][\w'’-]*", text))
    return words, [len(pattern.findall(text)) for pattern in (YOU, CLAUSE, PASSIVE)]


def line(name, words, counts):
    rates = [100 * count / max(words, 1) for count in counts]
    print(f"{name:18}{words:8}" + "".join(f"{rate:9.2f}" for rate in rates))
    return rates


def main():
    pages = {path.stem: prose(path.read_text()) for path in sorted((TOP / "docs").glob("*.md")) if path.stem not in GENERATED}
    pages["README"] = prose((TOP / "README.md").read_text())
    print(f"{'per 100 words':18}{'words':>8}{'you':>9}{'clauses':>9}{'passives':>9}")
    if "--each" in sys.argv:
        for name, text in pages.items():
            line(name, *measure(text))
    failed = False
    for kind, names in (("how-tos", [*HOW_TOS, "README"]), ("all", list(pages))):
        rates = line(kind, *measure("\n".join(pages[name] for name in names)))
        you, clauses, passives = LIMITS[kind]
        failed |= rates[0] < you or rates[1] > clauses or rates[2] > passives
    if failed:
        sys.exit(f"beyond the limits (at least, at most, at most): {LIMITS}")


main()
