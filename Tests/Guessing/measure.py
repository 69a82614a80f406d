#!/usr/bin/env python3
"""How many of the foreign keys that databases declare `kindred model --guess` finds where they are hidden.

    python3 Tests/Guessing/measure.py --kindred .build/debug/kindred [--fill ROWS] DATABASE.db SCHEMA.sql ...

Each SQLite database, or schema in SQLite's SQL, is copied without its foreign keys: with its tables, primary keys, unique
indexes and rows. `--fill` gives each empty table up to so many rows, whose keys begin at 1 in every table and whose
foreign keys hold: so the values of every key are among those of others. Foreign keys of several columns aren't counted,
since none is proposed. The program is run on the copy, and a line is printed for each database: the keys that are
declared, found, and missed, and the proposals that lead elsewhere. `--verbose` names these.
"""
import argparse
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Table:
    """The columns, keys and foreign keys of a table."""

    def __init__(self, db, name):
        self.name = name
        info = [row for row in db.execute(f"PRAGMA table_xinfo({quoted(name)})") if row[6] == 0]
        self.columns = [(row[1], row[2], row[3]) for row in info]
        self.key = [row[1] for row in sorted((row for row in info if row[5]), key=lambda row: row[5])]
        self.unique = []
        self.indexes = []
        for _, index, is_unique, origin, is_partial in db.execute(f"PRAGMA index_list({quoted(name)})").fetchall():
            columns = [row[2] for row in db.execute(f"PRAGMA index_info({quoted(index)})")]
            if origin != "pk" and not is_partial and None not in columns:
                (self.unique if is_unique else self.indexes).append(columns)
        keys = {}
        for row in db.execute(f"PRAGMA foreign_key_list({quoted(name)})"):
            keys.setdefault(row[0], []).append(row)
        self.references = {}
        self.composite = 0
        for rows in keys.values():
            if len(rows) == 1:
                self.references.setdefault(rows[0][3].lower(), (rows[0][2].lower(), rows[0][4]))
            else:
                self.composite += 1

    def definition(self):
        """The statements that create the table without its foreign keys."""
        def column(name, kind, required):
            is_rowid = self.key == [name] and kind.upper() == "INTEGER"
            return f"{quoted(name)} {kind}" + (" PRIMARY KEY" if is_rowid else " NOT NULL" if required else "")

        rowid = len(self.key) == 1 and any(n == self.key[0] and k.upper() == "INTEGER" for n, k, _ in self.columns)
        parts = [column(*each) for each in self.columns]
        if self.key and not rowid:
            parts.append(f"PRIMARY KEY ({', '.join(map(quoted, self.key))})")
        parts += [f"UNIQUE ({', '.join(map(quoted, key))})" for key in self.unique]
        yield f"CREATE TABLE {quoted(self.name)} ({', '.join(parts)})"
        for number, columns in enumerate(self.indexes):
            name = quoted(f"index {number} of {self.name}")
            yield f"CREATE INDEX {name} ON {quoted(self.name)} ({', '.join(map(quoted, columns))})"


def opened(path):
    if Path(path).suffix == ".sql":
        db = sqlite3.connect(":memory:")
        db.executescript(Path(path).read_text(encoding="utf-8", errors="replace"))
    else:
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    db.text_factory = lambda text: text.decode("utf-8", "replace")
    return db


def tables(db):
    names = [row[0] for row in db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
        "AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY rowid")]
    return [Table(db, name) for name in names]


def value(kind, number):
    return number if "INT" in kind.upper() or not kind else f"v{number}"


def fill(copy, all_tables, rows):
    """Fills the empty tables, in the order of what they refer to, as far as that is possible."""
    random.seed(1)
    by_name = {table.name.lower(): table for table in all_tables}
    keys = {}
    waiting = [t for t in all_tables if not copy.execute(f"SELECT 1 FROM {quoted(t.name)} LIMIT 1").fetchone()]
    for table in all_tables:
        if table not in waiting and len(table.key) == 1:
            found = copy.execute(f"SELECT {quoted(table.key[0])} FROM {quoted(table.name)} LIMIT 5000")
            keys[table.name.lower()] = [row[0] for row in found]
    while waiting:
        ready = [t for t in waiting if all(
            other in keys or other not in by_name or other == t.name.lower() for other, _ in t.references.values())]
        for table in ready or waiting[:1]:
            waiting.remove(table)
            own = []
            for number in range(1, random.randint(max(rows // 4, 1), rows) + 1):
                record = {}
                for name, kind, _ in table.columns:
                    reference = table.references.get(name.lower())
                    known = (own if reference and reference[0] == table.name.lower() else
                             keys.get(reference[0], []) if reference else None)
                    if known:
                        record[name] = random.choice(known)
                    elif reference:
                        record[name] = None
                    elif table.key == [name]:
                        record[name] = value(kind, number)
                    else:
                        record[name] = value(kind, random.randint(1, 10_000))
                try:
                    names = ", ".join(map(quoted, record))
                    marks = ", ".join("?" for _ in record)
                    copy.execute(f"INSERT INTO {quoted(table.name)} ({names}) VALUES ({marks})", list(record.values()))
                    if len(table.key) == 1:
                        own.append(record[table.key[0]])
                except sqlite3.IntegrityError:
                    pass
            keys[table.name.lower()] = own


def copied(path, target, rows):
    db = opened(path)
    all_tables = tables(db)
    copy = sqlite3.connect(target)
    for table in all_tables:
        for statement in table.definition():
            copy.execute(statement)
        names = ", ".join(quoted(name) for name, _, _ in table.columns)
        marks = ", ".join("?" for _ in table.columns)
        copy.executemany(f"INSERT OR IGNORE INTO {quoted(table.name)} ({names}) VALUES ({marks})",
                         db.execute(f"SELECT {names} FROM {quoted(table.name)}"))
    if rows:
        fill(copy, all_tables, rows)
    copy.commit()
    copy.close()
    return all_tables


def proposed(kindred, database):
    """The proposals as {(table, column): table}, by the program's own names of resources."""
    printed = subprocess.run([kindred, "model", database], check=True, capture_output=True, text=True).stdout
    names = dict(re.findall(r'(?m)^  "?([^\n]+?)"?:\n    table: "?([^\n]+?)"?$', printed))
    text = subprocess.run([kindred, "model", database, "--guess"], check=True, capture_output=True, text=True).stdout
    found, resource = {}, None
    for line in text.splitlines():
        line = line.split("  # ")[0]
        if match := re.match(r'^  "?([^# "][^"]*?)"?:$', line):
            resource = match[1]
        elif match := re.match(r'^      "?([^# "][^"]*?)"?: (?:\{ )?"?([^":{}]+)', line):
            found[names[resource].lower(), match[1].lower()] = names[match[2].strip()].lower()
    return found


def measure(kindred, path, rows, verbose):
    with tempfile.TemporaryDirectory() as directory:
        copy = f"{directory}/copy.db"
        all_tables = copied(path, copy, rows)
        found = proposed(kindred, copy)
    declared = {(t.name.lower(), column): other for t in all_tables for column, (other, _) in t.references.items()}
    right = [key for key in declared if found.get(key) == declared[key]]
    wrong = [key for key in found if key not in declared or found[key] != declared[key]]
    name = Path(path).stem
    print(f"{name:24} {len(all_tables):5} tables {len(declared):5} keys {len(right):5} found "
          f"{100 * len(right) / max(len(declared), 1):5.1f} % {len(wrong):4} elsewhere "
          f"{100 * len(wrong) / max(len(found), 1):5.1f} %")
    if verbose:
        for key in declared:
            if key not in right:
                print(f"  missed {key[0]}.{key[1]} -> {declared[key]}")
        for key in wrong:
            print(f"  elsewhere {key[0]}.{key[1]} -> {found[key]}, declared {declared.get(key, 'nowhere')}")
    return len(declared), len(right), len(found), len(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kindred", required=True, help="the program")
    parser.add_argument("--fill", type=int, default=0, metavar="ROWS", help="rows for each empty table")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--at-least", type=float, default=0, metavar="SHARE", help="fail if fewer are found, in percent")
    parser.add_argument("--at-most", type=float, default=100, metavar="SHARE", help="fail if more lead elsewhere")
    parser.add_argument("databases", nargs="+")
    options = parser.parse_args()
    totals = [sum(each) for each in zip(*(
        measure(options.kindred, path, options.fill, options.verbose) for path in options.databases))]
    share = 100 * totals[1] / max(totals[0], 1)
    elsewhere = 100 * totals[3] / max(totals[2], 1)
    print(f"{'all':24} {'':12} {totals[0]:5} keys {totals[1]:5} found {share:5.1f} % {totals[3]:4} elsewhere {elsewhere:5.1f} %")
    sys.exit(0 if share >= options.at_least and elsewhere <= options.at_most else 1)


if __name__ == "__main__":
    main()
