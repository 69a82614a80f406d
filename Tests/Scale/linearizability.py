"""Checks that no answer is older than it may be: linearizability.py PROGRAM [SECONDS]

Two clients of the database and two of the server add 1 to counters while others read them, mostly what the server keeps:
answers, and 304 for what the client has. Reads of a counter are linearizable (Herlihy and Wing, 1990) if each shows at
least what had been written or read when it was sent, and at most what had been begun when it was answered. A standby may
be late, but shows what the server had written at the position that a request names.
"""

import gzip
import http.client
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from run import BINARIES, Kindred, Server, until

COUNTERS, READERS = 4, 8
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 15
SCHEMA = """
CREATE TABLE shelf (id int PRIMARY KEY, name text);
CREATE TABLE counter (id int PRIMARY KEY, shelf_id int REFERENCES shelf, n int NOT NULL);
CREATE INDEX counter_on_shelf ON counter (shelf_id);
INSERT INTO shelf VALUES (1, 'first');
INSERT INTO counter VALUES """ + ", ".join(f"({id}, 1, 0)" for id in range(1, COUNTERS + 1)) + ";"
INCREMENT = "UPDATE counter SET n = n + 1 WHERE id = {} RETURNING n"
# What is read, and the counters in its JSON.
TARGETS = {
    "/counters/{}": lambda found: [found],
    "/counters?filter=id={}": lambda found: found,
    "/counters?sort=id": lambda found: found,
    "/shelves?include=counters": lambda found: found[0]["counters"],
    "/counters/{}?include=shelf.counters": lambda found: found["shelf"]["counters"],
}


class Counters:
    """What is known of each counter."""

    def __init__(self, names_positions):
        self.lock, self.end = threading.Lock(), time.monotonic() + SECONDS
        # Whether a read shows only what the position that it names includes.
        self.names_positions = names_positions
        self.begun = [0] * (COUNTERS + 1)
        self.known = [(0, None)] * (COUNTERS + 1)
        self.reads = self.unchanged = 0
        self.failures = []

    @property
    def is_over(self):
        return time.monotonic() > self.end or bool(self.failures)

    def begin(self):
        with self.lock:
            id = random.randint(1, COUNTERS)
            self.begun[id] += 1
            return id

    def know(self, id, value, position):
        """Notes a value that has been answered, with the position of the answer."""
        with self.lock:
            if value > self.known[id][0] and (position or not self.names_positions):
                self.known[id] = (value, position)


class Client:
    """A connection to the server."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.tags = {}

    def send(self, method, target, **headers):
        fields = {name.replace("_", "-"): value for name, value in headers.items() if value}
        self.connection.request(method, target, None, fields)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.getheader("Content-Encoding") == "gzip":
            content = gzip.decompress(content)
        return answer, content

    def write(self, counters):
        id = counters.begin()
        answer, content = self.send("PATCH", f"/counters/{id}?set=n:n%2B1")
        if answer.status == 503:  # it has not been done, or it isn't known: the bound above stays true
            return
        assert answer.status == 200, f"{answer.status}: {content[:300]}"
        counters.know(id, json.loads(content)["n"], answer.getheader("Kindred-Position"))

    def read(self, counters):
        target, found = random.choice(list(TARGETS.items()))
        target = target.format(random.randint(1, COUNTERS))
        tag, kept = self.tags.get(target, (None, None)) if random.random() < 0.7 else (None, None)
        known = list(counters.known)
        # The latest of the positions includes the others.
        position = max((p for _, p in known if p), key=place, default=None)
        answer, content = self.send(
            "GET", target, If_None_Match=tag, Kindred_Position=position if counters.names_positions else None,
            Accept_Encoding=random.choice(["gzip", None]))
        assert answer.status in (200, 304), f"{target}: {answer.status}: {content[:300]}"
        values = kept if answer.status == 304 else {c["id"]: c["n"] for c in found(json.loads(content))}
        self.tags[target] = (answer.getheader("ETag"), values)
        for id, value in values.items():
            assert known[id][0] <= value <= counters.begun[id], (
                f"{target}, {answer.status}: counter {id} is {value}, and was {known[id][0]} before; "
                f"{counters.begun[id]} additions have begun")
            # A standby may show a commit before the primary does, which shows it only after it has been logged.
            if not counters.names_positions:
                counters.know(id, value, None)
        with counters.lock:
            counters.reads += 1
            counters.unchanged += answer.status == 304


def place(position):
    """Returns the order of a position: `3-16/B374D848`."""
    timeline, _, lsn = position.rpartition("-")
    high, low = lsn.split("/")
    return int(timeline or 0), int(high, 16), int(low, 16)


class SQLiteWriter:
    def __init__(self, path):
        self.connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)

    def write(self, counters):
        id = counters.begin()
        (value,), = self.connection.execute(INCREMENT.format(id)).fetchall()
        counters.know(id, value, None)


class PostgreSQLWriter:
    def __init__(self, server):
        self.psql = subprocess.Popen(
            [BINARIES / "psql", "-XAtq", server.url()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def write(self, counters):
        id = counters.begin()
        self.psql.stdin.write(INCREMENT.format(id) + ";\n")
        self.psql.stdin.flush()
        counters.know(id, int(self.psql.stdout.readline()), None)


def run(what, program, writers, names_positions=False):
    counters = Counters(names_positions)

    def work(act, pause):
        try:
            while not counters.is_over:
                act(counters)
                time.sleep(random.random() * pause)
        except Exception as failure:
            counters.failures.append(failure)

    clients = [Client(program.port) for _ in range(READERS + 2)]
    acts = [(writer.write, 0.1) for writer in writers + clients[:2]] + [(client.read, 0.002) for client in clients[2:]]
    threads = [threading.Thread(target=work, args=act) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not counters.failures, f"{what}: {counters.failures[0]!r}"
    assert counters.unchanged > 0 and all(value > 0 for value, _ in counters.known[1:]), f"{what}: too little was read"
    print(f"ok  {what}: {counters.reads} reads, {counters.unchanged} of them 304, {sum(counters.begun)} additions")


def on_sqlite(directory):
    path = directory / "counters.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = wal")
    connection.executescript(SCHEMA)
    connection.close()
    program = Kindred(str(path), "--writable")
    try:
        run("SQLite", program, [SQLiteWriter(path), SQLiteWriter(path)])
    finally:
        program.stop()


def on_postgresql(directory):
    primary = Server(directory / "primary")
    try:
        primary.sql("CREATE DATABASE library", "postgres")
        primary.sql(SCHEMA)
        writers = [PostgreSQLWriter(primary), PostgreSQLWriter(primary)]
        program = Kindred(primary.url(), "--writable")
        try:
            run("PostgreSQL", program, writers)
        finally:
            program.stop()
        primary.sql("UPDATE counter SET n = 0")
        standby = Server(directory / "standby", primary)
        try:
            program = Kindred(primary.url(), "--writable", "--replica", standby.url())
            try:
                until(lambda: program.get("/counters").position)
                run("PostgreSQL with a standby", program, writers, names_positions=True)
            finally:
                program.stop()
        finally:
            standby.stop()
    finally:
        primary.stop()


def main():
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        if not os.getuid():  # PostgreSQL refuses to run as root
            shutil.chown(directory, "postgres", "postgres")
        on_sqlite(directory)
        on_postgresql(directory)


main()
