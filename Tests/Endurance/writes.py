"""Injects faults while clients write: acknowledged writes persist, refused ones leave no trace, none is partial."""

import http.client
import random
import sqlite3
import threading
import time

from checks import check, check_unavailable, is_fine
from server import HUGE, Clients, Server, make_library, small_disk, wait_until

ROUNDS = 100
BOOKS, REVIEWS = 2, 3


def tree(name):
    """An author with books with reviews: eighteen rows and more, counting index entries."""
    reviews = [{"rating": 1 + n % 5} for n in range(REVIEWS)]
    return {"name": name, "books": [{"title": f"{name}, volume {n}", "reviews": reviews} for n in range(BOOKS)]}


class Writers(Clients):
    """Clients that add trees, increment a number of one record each, and delete; they note acknowledged writes."""

    def __init__(self, server, round_number, count=32):
        super().__init__()
        self.server = server
        self.round = round_number
        self.added, self.gone, self.counts, self.tried, self.failures = set(), set(), {}, {}, []
        self.threads = [threading.Thread(target=self.run, args=(number,)) for number in range(count)]

    def run(self, number):
        counter = 1 + number
        for n in range(1_000_000):
            if self.is_over.is_set():
                return
            name = f"{self.round}-{number}-{n}"
            try:
                status, _, body = self.server.send("POST", "/authors", tree(name))
                check(status == 201, f"{status}: {body[:300]}")
                self.added.add(name)
                self.tried[counter] = n + 1
                status, _, body = self.server.send("PATCH", f"/books/{counter}", {"pages": n + 1})
                check(status == 200, f"{status}: {body[:300]}")
                self.counts[counter] = n + 1
                if n % 3 == 0:
                    status, headers, body = self.server.send("POST", "/playlists", {"name": name})
                    check(status == 201, f"{status}: {body[:300]}")
                    status, _, body = self.server.send("DELETE", headers["Location"])
                    check(status == 204, f"{status}: {body[:300]}")
                    self.gone.add(name)
            except AssertionError as failure:
                self.failures.append(failure)
                return
            except (OSError, http.client.HTTPException):
                # The server has been killed; the outcome of this write is unknown.
                return


def check_file(database, writers):
    """Checks that the file contains all acknowledged writes and no partial tree."""
    check(not writers.failures, writers.failures[:1])
    connection = sqlite3.connect(database)
    result = connection.execute("PRAGMA integrity_check").fetchall()
    check(result == [("ok",)], result)
    check(connection.execute("PRAGMA foreign_key_check").fetchall() == [], "a foreign key refers to nothing")
    trees = connection.execute(
        """
        SELECT name, (SELECT count(*) FROM book WHERE authorId = author.id),
          (SELECT count(*) FROM review JOIN book ON book.id = bookId WHERE authorId = author.id)
        FROM author WHERE name LIKE ?""",
        (f"{writers.round}-%",),
    ).fetchall()
    parts = [row for row in trees if row[1:] != (BOOKS, BOOKS * REVIEWS)]
    check(not parts, f"in part: {parts[:3]}")
    stored = {row[0] for row in trees}
    missing = writers.added - stored
    check(not missing, f"acknowledged and lost: {sorted(missing)[:3]}")
    playlists = {row[0] for row in connection.execute("SELECT name FROM playlist")}
    check(not writers.gone & playlists, f"deleted and there: {sorted(writers.gone & playlists)[:3]}")
    for book, count in writers.counts.items():
        pages = connection.execute("SELECT pages FROM book WHERE id = ?", (book,)).fetchone()[0]
        check(count <= pages <= writers.tried[book], f"book {book}: {pages}, and {count} was acknowledged")
    connection.close()
    return len(stored)


def killed_writing(directory):
    """kill -9 while 32 clients write and read, a hundred times: all acknowledged writes persist, and no tree is partial."""
    database = directory / "library.sqlite"
    make_library(database, books=2_000)
    acknowledged, stored, slowest = 0, 0, 0.0
    for number in range(ROUNDS):
        start = time.monotonic()
        with Server(database, "--writable") as server:
            is_fine(server)
            slowest = max(slowest, time.monotonic() - start)
            with Writers(server, number) as writers:
                end = time.monotonic() + random.uniform(0.2, 2)
                while time.monotonic() < end:
                    server.get("/books?limit=200&include=author,reviews&sort=-id")
                server.process.kill()
                server.process.wait()
        stored += check_file(database, writers)
        acknowledged += len(writers.added) + 2 * len(writers.gone) + sum(writers.counts.values())
    print(f"    {ROUNDS} kills, {acknowledged} acknowledged writes, {stored} trees, none lost, none in part;"
          f" slowest start {slowest:.2f} s")


def locked_writing(directory):
    """Another process holds the lock: writes get 503 when their time is up, reads continue."""
    database = directory / "library.sqlite"
    make_library(database, books=100)
    with Server(database, "--writable", "--query-timeout", "1s") as server:
        other = sqlite3.connect(database, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        start = time.monotonic()
        answer = server.send("POST", "/authors", {"name": "Late"})
        check_unavailable(answer)
        waited = time.monotonic() - start
        check(waited < 3, f"{waited:.1f} seconds")
        is_fine(server)
        other.execute("COMMIT")
        status, _, body = server.send("POST", "/authors", {"name": "In time"})
        check(status == 201, f"{status}: {body[:300]}")
        names = other.execute("SELECT name FROM author WHERE name IN ('Late', 'In time')").fetchall()
        check(names == [("In time",)], names)
        print(f"    503 after {waited:.1f} s")


def write_until_full(server, document):
    """Adds records until the disk is full and returns the names of the acknowledged ones."""
    names = []
    for n in range(100_000):
        name = f"0-{n}"
        answer = server.send("POST", "/authors", document(name))
        if answer[0] != 201:
            check_unavailable(answer)
            return names
        names.append(name)
    raise AssertionError("the disk does not get full")


class Acknowledged:
    """The records that `check_file` should find."""

    round, gone, counts, tried, failures = 0, set(), {}, {}, []

    def __init__(self, names):
        self.added = set(names)


def full_writing(directory):
    """The disk of the database is full: writes get 503, reads continue, and writes succeed once there is space."""
    with small_disk(directory, "8m") as small:
        database = small / "library.sqlite"
        make_library(database, books=1_000)
        ballast = small / "ballast"
        ballast.write_bytes(bytes(5 << 20))
        with Server(database, "--writable") as server:
            names = write_until_full(server, tree)
            for _ in range(20):
                check_unavailable(server.send("POST", "/authors", tree("refused")))
                is_fine(server)
            check(server.get("/authors?filter=name='refused'")[2] == b"[]", "refused, and there all the same")
            check_unavailable(server.get("/-/ready"))
            check(server.get("/-/health")[0] == 200, "health tells of the disk")
            ballast.unlink()
            check(server.get("/-/ready")[0] == 200, "not ready, though there is space")
            for n in range(20):
                name = f"0-later-{n}"
                status, _, body = server.send("POST", "/authors", tree(name))
                check(status == 201, f"{status}: {body[:300]}")
                names.append(name)
            check(server.end() == 0, "exit code")
        check_file(database, Acknowledged(names))
        print(f"    {len(names)} acknowledged trees, none lost, none in part")


def pinned_writing(directory):
    """A slow reader keeps the write-ahead log from being reset until it fills the disk: writes get 503, reads continue.

    When the reader disconnects, writes still need free space, as the log is copied to the database before its reset.
    """
    with small_disk(directory, "24m") as small:
        database = small / "library.sqlite"
        make_library(database, books=20_000)
        ballast = small / "ballast"
        ballast.write_bytes(bytes(4 << 20))
        with Server(database, "--writable") as server:
            reader = server.open(HUGE, receive_buffer=4096)
            check(b" 200 " in reader.recv(100), "no answer to read slowly")
            names = write_until_full(server, tree)
            size = (small / "library.sqlite-wal").stat().st_size
            is_fine(server)
            reader.close()
            ballast.unlink()

            def is_possible():
                name = f"0-later-{time.monotonic()}"
                status, _, body = server.send("POST", "/authors", tree(name))
                if status == 201:
                    names.append(name)
                return status == 201

            check(wait_until(is_possible, 20), "no write though the reader has gone and there is space")
            is_fine(server)
            check(server.end() == 0, "exit code")
        check_file(database, Acknowledged(names))
        print(f"    log of {size >> 20} MiB, {len(names)} acknowledged trees, none lost, none in part")
