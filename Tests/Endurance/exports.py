"""Exports every table of databases and imports it into empty copies, in each format that can be imported.

    python3 Tests/Endurance/exports.py [DATABASE...]

Without a database, the sample library is taken. What a copy exports afterwards must be the same file. The tests of the
program hold the same for schemas that are made for it; this is for databases of others, whose path is all it needs.
KINDRED names the program.
"""

import http.client
import json
import pathlib
import sqlite3
import sys
import tempfile
import urllib.parse

import server

FORMATS = ["application/json", "application/x-ndjson", "text/csv"]
# The tables that virtual tables of full-text searches and of R-trees make.
SHADOWS = {"content", "segments", "segdir", "docsize", "stat", "data", "idx", "config", "node", "parent", "rowid"}
# The size of an array, and of a page, that a server takes.
LIMITS = ["--max-page-size", "0", "--max-body-size", "64MiB", "--query-timeout", "60s"]


def make_empty_copy(database, path):
    """Copies the schema alone, without triggers, whose work is exported too; virtual tables make their own tables."""
    with sqlite3.connect(database) as original, sqlite3.connect(path) as copy:
        virtual = [name for name, sql in original.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'")]
        for name, sql in original.execute(
                "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND type <> 'trigger' ORDER BY rowid"):
            is_shadow = any(name.startswith(f"{table}_") and name.rsplit("_", 1)[1] in SHADOWS for table in virtual)
            if not name.startswith("sqlite_") and not is_shadow:
                copy.execute(sql)


def tables(database, schema):
    """The resources of stored tables, those that others refer to first."""
    with sqlite3.connect(database) as connection:
        stored = {name for (name,) in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")}
        references = {name: {row[2] for row in connection.execute(f'PRAGMA foreign_key_list("{name}")')} for name in stored}
    resources = {one["table"]: one for one in schema["resources"] if one["table"] in stored}
    ordered, seen, lowered = [], set(), {name.lower(): name for name in resources}

    def add(name):
        if name in seen:
            return
        seen.add(name)
        for other in references[name]:
            if other.lower() in lowered:
                add(lowered[other.lower()])
        ordered.append(resources[name])

    for name in resources:
        add(name)
    return ordered


def fields(resource):
    """The stored columns, as a request names them."""
    names = [one["name"] for one in resource["columns"] if not one["isGenerated"]]
    return urllib.parse.quote(",".join('"' + name.replace('"', '""') + '"' for name in names))


def send(one, method, target, media_type, content=None):
    connection = http.client.HTTPConnection("127.0.0.1", one.port, timeout=300)
    headers = {"Accept": media_type} if content is None else {"Content-Type": media_type, "Prefer": "return=minimal"}
    try:
        connection.request(method, target, body=content, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def compare(database, directory, media_type):
    """Imports all tables into an empty copy; returns the number of records."""
    copy = directory / f"{media_type.replace('/', '-')}.db"
    make_empty_copy(database, copy)
    count = 0
    with server.Server(database, *LIMITS) as original, server.Server(copy, "--writable", *LIMITS) as other:
        resources = tables(database, json.loads(original.get("/-/schema")[2]))
        for resource in resources:
            target = f"{resource['link']}?fields={fields(resource)}&limit=100000000"
            status, exported = send(original, "GET", target, media_type)
            assert status == 200, f"{target}: {status} {exported[:300]}"
            lines = json.loads(exported) if media_type == FORMATS[0] else exported.splitlines()
            if not lines or (media_type == FORMATS[2] and len(lines) == 1):
                continue
            count += len(lines) - (media_type == FORMATS[2])
            status, answer = send(other, "POST", resource["link"], media_type, exported)
            assert status == 201, f"POST {resource['link']} as {media_type}: {status} {answer[:300]}"
        for resource in resources:
            target = f"{resource['link']}?fields={fields(resource)}&limit=100000000"
            first, second = (send(one, "GET", target, media_type) for one in (original, other))
            assert first == second, f"{target} as {media_type} differs: {first[1][:200]} and {second[1][:200]}"
    return count


def main(databases):
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        if not databases:
            server.make_library(directory / "library.sqlite", books=2_000)
            databases = [directory / "library.sqlite"]
        for number, database in enumerate(databases):
            place = directory / str(number)
            place.mkdir()
            for media_type in FORMATS:
                count = compare(database, place, media_type)
                print(f"{pathlib.Path(database).name}: {count} records as {media_type} came back as they were")


if __name__ == "__main__":
    main(sys.argv[1:])
