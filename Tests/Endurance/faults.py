#!/usr/bin/env python3
"""Injects faults around a server, one after another: it must answer cleanly and continue to work.

    Tests/Endurance/faults.py [NAME…]

Each test takes some seconds, uses the loopback interface and ends by itself. Those that fill a disk mount a small one,
which requires root; without it they are skipped.
"""

import http.client
import json
import os
import pathlib
import signal
import sqlite3
import sys
import tempfile
import threading
import time

import linearizability
import writes
from checks import check, check_unavailable, is_fine
from server import HUGE, Clients, Server, make_library, small_disk, wait_until

# Compares each book with each of the thousands of books of its author, which takes minutes.
ENDLESS = "/books?fields=id&filter=author.books.filter(pages>../../pages*../../id).count>1000000"


class Load(Clients):
    """Clients that send requests in a loop and count the outcomes."""

    def __init__(self, server, count=8):
        super().__init__()
        self.server = server
        self.complete, self.refused, self.cut = 0, 0, 0
        self.threads = [threading.Thread(target=self.run) for _ in range(count)]

    def run(self):
        while not self.is_over.is_set():
            try:
                status, _, body = self.server.get("/books?limit=500&include=author,reviews")
                json.loads(body)
                check(status == 200, status)
                self.complete += 1
            except (ConnectionRefusedError, ConnectionResetError):
                self.refused += 1
                self.is_over.wait(0.05)
            except Exception:
                # The answer was cut short or wasn't valid JSON.
                self.cut += 1


def killed(directory):
    """kill -9 under load, with a writer of another process: the server starts again, and the file is intact."""
    database = directory / "library.sqlite"
    make_library(database)
    for _ in range(5):
        with Server(database) as server, Load(server) as load:
            wait_until(lambda: load.complete > 20, 20)
            writer = sqlite3.connect(database)
            writer.execute("UPDATE book SET pages = pages + 1 WHERE id % 7 = 0")
            server.process.kill()
            server.process.wait()
            writer.commit()
            writer.close()
    with Server(database) as server:
        is_fine(server)
    result = sqlite3.connect(database).execute("PRAGMA integrity_check").fetchone()
    check(result == ("ok",), result)


def locked(directory):
    """Another process locks the file: 503 with Retry-After, and normal answers once the lock is released."""
    for journal in ["delete", "wal"]:
        database = directory / f"{journal}.sqlite"
        make_library(database, books=100, journal=journal)
        with Server(database) as server:
            is_fine(server)
            other = sqlite3.connect(database, isolation_level=None)
            if journal == "delete":
                other.execute("BEGIN EXCLUSIVE")
                check_unavailable(server.get("/books?limit=2"))
                status, _, _ = server.get("/-/health")
                check(status in (200, 503), status)
                other.execute("COMMIT")
            else:
                # In WAL mode a writer doesn't block readers.
                other.execute("BEGIN EXCLUSIVE")
                other.execute("UPDATE book SET pages = 1")
                is_fine(server)
                other.execute("COMMIT")
            is_fine(server)


class ShortRequests(Clients):
    """Clients that send short requests without a pause, each on a connection of its own."""

    def __init__(self, server, count=4):
        super().__init__()
        self.server, self.answers, self.failures = server, 0, []
        self.threads = [threading.Thread(target=self.run) for _ in range(count)]

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        while not self.is_over.is_set():
            connection.request("GET", f"/books/{self.answers % 100 + 1}?include=author")
            response = connection.getresponse()
            response.read()
            if response.status not in (200, 404):
                self.failures.append(response.status)
            self.answers += 1
        connection.close()


def outdated(directory):
    """Another process commits between short requests: every later answer shows it, and no commit waits for long."""
    for journal in ["delete", "wal"]:
        database = directory / f"{journal}.sqlite"
        make_library(database, books=1000, journal=journal)
        with Server(database) as server, ShortRequests(server) as load:
            wait_until(lambda: load.answers > 200, 20)
            other = sqlite3.connect(database, isolation_level=None, timeout=20)
            book = other.execute("SELECT max(id) FROM book").fetchone()[0]
            longest = 0
            for number in range(1, 301):
                start = time.monotonic()
                other.execute("UPDATE book SET pages = ? WHERE id = ?", (number, book))
                longest = max(longest, time.monotonic() - start)
                status, _, body = server.get(f"/books/{book}?fields=pages")
                check(status == 200 and json.loads(body)["pages"] == number, (status, body))
            other.execute("ALTER TABLE book ADD COLUMN note TEXT DEFAULT 'new'")
            status, _, body = server.get(f"/books/{book}?fields=note")
            check(status == 200 and json.loads(body)["note"] == "new", (status, body))
            check(not load.failures, load.failures[:3])
            check(longest < 2, longest)
            log = pathlib.Path(f"{database}-wal")
            size = log.stat().st_size if log.exists() else 0
            check(size < 8 << 20, size)
            print(f"  {journal}: {load.answers} answers, the longest commit took {longest * 1000:.0f} ms, log {size} bytes")


def full(directory):
    """The disk of the temporary files is full: 503, and the next request succeeds."""
    database = directory / "library.sqlite"
    make_library(database, books=200_000)
    with small_disk(directory, "64k") as small:
        with Server(database, environment={"SQLITE_TMPDIR": str(small), "TMPDIR": str(small)}) as server:
            for target in [
                "/books?sort=title||pages||kind&offset=150000&fields=*,a:title||title||title",
                "/books?distinct=true&offset=150000",
                "/books?group=title,pages,year&fields=title,n:count()&offset=150000",
            ]:
                check_unavailable(server.get(target))
                is_fine(server)


def replaced(directory):
    """The file is replaced, truncated, overwritten with noise or removed: the server answers and doesn't end."""
    def truncate(path):
        os.truncate(path, 10_000)

    def empty(path):
        os.truncate(path, 0)

    def noise(path):
        with open(path, "r+b") as file:
            file.write(os.urandom(1_000_000))

    def replace(path):
        make_library(directory / "new.sqlite", books=3)
        os.replace(directory / "new.sqlite", path)

    for journal in ["delete", "wal"]:
        for damage in [truncate, empty, noise, replace, os.remove]:
            database = directory / f"{journal}-{damage.__name__}.sqlite"
            make_library(database, books=5_000, journal=journal)
            with Server(database) as server, Load(server, 4) as load:
                wait_until(lambda: load.complete > 5, 20)
                damage(database)
                statuses = set()
                for target in ["/books?limit=3", "/books?sort=title", "/authors/1", "/", "/-/health", HUGE]:
                    try:
                        statuses.add(server.get(target)[0])
                    except Exception as error:
                        statuses.add(type(error).__name__)
                print(f"    {journal}, {damage.__name__}: {sorted(map(str, statuses))}")
                check(server.is_running, "the server has ended")
                load.is_over.set()


def late(directory):
    """A query exceeds its time limit: 503 with Retry-After, in time."""
    database = directory / "library.sqlite"
    make_library(database)
    with Server(database, "--query-timeout", "500ms") as server:
        start = time.monotonic()
        check_unavailable(server.get(ENDLESS))
        check(time.monotonic() - start < 5, f"{time.monotonic() - start} seconds")
        is_fine(server)


def left(directory):
    """Clients disconnect from long queries: the queries are interrupted, and the processor becomes idle."""
    database = directory / "library.sqlite"
    make_library(database)
    with Server(database, "--query-timeout", "10m") as server:
        connections = [server.open(ENDLESS) for _ in range(4)]
        before = server.processor_seconds
        check(wait_until(lambda: server.processor_seconds > before + 0.5, 20), "the queries take no time")
        for connection in connections:
            connection.close()
        time.sleep(2)
        before = server.processor_seconds
        time.sleep(3)
        spent = server.processor_seconds - before
        check(spent < 0.3, f"{spent} seconds of processor time in three after the clients left")
        is_fine(server)


def crowded(directory):
    """More connections than the limit: the surplus ones get 503, and closed ones make room again."""
    database = directory / "library.sqlite"
    make_library(database, books=100)
    with Server(database, "--max-connections", "32") as server:
        crowd = [server.open("/books?limit=1") for _ in range(32)]
        for connection in crowd:
            check(b" 200 " in connection.recv(100), "a place was refused too early")
        statuses = []
        for _ in range(20):
            try:
                status, headers, _ = server.get("/books?limit=1")
                check(headers["Retry-After"], "no Retry-After")
                statuses.append(status)
            except ConnectionError as error:
                statuses.append(type(error).__name__)
        print(f"    above the cap: {set(statuses)}")
        check(set(statuses) <= {503, "ConnectionResetError"} and 503 in statuses, set(statuses))
        for connection in crowd:
            connection.close()
        check(wait_until(lambda: server.get("/books?limit=1")[0] == 200, 5), "the places do not get free")


class SlowReaders:
    """Clients that take 100 bytes of a long answer a second."""

    def __init__(self, server, count=64):
        self.sockets = [server.open("/books?include=author,reviews", receive_buffer=2048) for _ in range(count)]
        self.is_over, self.cut = threading.Event(), 0
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        # Each has its turn to have its answer read, as anybody would.
        start = time.monotonic()
        for reader in self.sockets:
            head = reader.recv(100)
            check(b" 200 " in head, f"a slow reader is answered by {head}")
        print(f"    {len(self.sockets)} slow readers have the beginnings of their answers after {time.monotonic() - start:.1f} s")
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()

    def run(self):
        while not self.is_over.wait(1):
            for reader in self.sockets[1:]:
                try:
                    self.cut += not reader.recv(100)
                except OSError:
                    self.cut += 1

    def rest(self):
        """All that the first of them, who has slept so far, takes now."""
        content = b""
        while not content.endswith(b"\r\n0\r\n\r\n"):
            part = self.sockets[0].recv(1 << 16)
            check(part, "the answer was cut short")
            content += part
        return content


def slow(directory):
    """64 clients read 100 bytes a second: others keep their rate, /-/health answers, and a reader gets everything."""
    database = directory / "library.sqlite"
    make_library(database)

    def rate(server, seconds=5):
        with Load(server, 4) as load:
            time.sleep(seconds)
        check(load.cut == 0, f"{load.cut} answers were cut short")
        return load.complete / seconds

    with Server(database, "--max-connections-per-client", "0") as server:
        alone = rate(server)
        with SlowReaders(server) as readers:
            beside = rate(server)
            start = time.monotonic()
            status, _, _ = server.get("/-/health")
            health = time.monotonic() - start
            check(status == 200, status)
            memory = server.memory
            length = len(readers.rest())
            check(readers.cut == 0, f"{readers.cut} slow readers were cut off")
        again = rate(server)
    print(f"    answers a second: {alone:.0f} alone, {beside:.0f} beside them, {again:.0f} after them")
    print(f"    health after {health * 1000:.0f} ms, {memory} MiB, and {length >> 20} MiB for one that takes all at last")
    check(beside > min(alone, again) * 0.7, f"{beside:.0f} answers a second instead of {alone:.0f}")


def held_back(directory):
    """One slow reader beside writes: its snapshot is released, so that the write-ahead log doesn't grow with each write."""
    database = directory / "library.sqlite"
    make_library(database)
    log = directory / "library.sqlite-wal"

    def write(server, count):
        for number in range(count):
            status, _, body = server.send("PATCH", "/books/1", {"title": f"{number}" + "x" * 100_000})
            check(status == 200, f"{status}: {body[:200]}")

    def spooled(server):
        _, _, metrics = server.get("/-/metrics")
        return dict(line.rsplit(" ", 1) for line in metrics.decode().splitlines() if line[0] != "#")["kindred_spool_bytes"]

    with Server(database, "--writable", "--durability", "normal", "--snapshot-age", "200ms") as server:
        write(server, 100)
        alone = log.stat().st_size
        reader = server.open("/books?include=author,reviews", receive_buffer=2048)
        check(b" 200 " in reader.recv(100), "the slow reader gets no answer")
        write(server, 100)
        check(wait_until(lambda: int(spooled(server)) > 1 << 20, 5), "the result is not read to its end")
        write(server, 300)
        beside = log.stat().st_size
        content = b""
        while not content.endswith(b"\r\n0\r\n\r\n"):
            part = reader.recv(1 << 16)
            check(part, "the answer was cut short")
            content += part
        check(server.end() == 0, "exit code")
    print(f"    the log has {alone >> 10} KiB without the reader, {beside >> 10} KiB after 400 writes of 100 KiB beside it")
    check(beside < alone + (20 << 20), "the log grows with each write")
    check(sorted(path.name for path in directory.iterdir()) == ["library.sqlite"], "more than one file is left")


def pipelined(directory):
    """140 connections that send requests without waiting for answers: health and records are still answered at once."""
    database = directory / "library.sqlite"
    make_library(database, books=100)
    flood = b"GET /-/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200
    is_over = threading.Event()

    def send(sockets):
        for connection in sockets:
            connection.setblocking(False)
        while not is_over.is_set():
            for connection in sockets:
                try:
                    connection.recv(1 << 20)
                except BlockingIOError:
                    pass
                try:
                    connection.send(flood)
                except BlockingIOError:
                    pass

    with Server(database, "--max-connections-per-client", "0") as server:
        sockets = [server.connect() for _ in range(140)]
        threads = [threading.Thread(target=send, args=(sockets[number::4],)) for number in range(4)]
        for thread in threads:
            thread.start()
        try:
            time.sleep(2)
            slowest = 0.0
            for _ in range(5):
                for target in ["/-/health", "/books?limit=2"]:
                    start = time.monotonic()
                    check(server.get(target, seconds=10)[0] == 200, target)
                    slowest = max(slowest, time.monotonic() - start)
            threads_of_server = server.threads
        finally:
            is_over.set()
            for thread in threads:
                thread.join()
    print(f"    the slowest of ten answers took {slowest:.2f} s, with {threads_of_server} threads")
    check(slowest < 2, f"{slowest:.1f} s")


def ended(directory):
    """SIGTERM: the server exits with 0, no answer is cut short, and one file is left that has every write."""
    database = directory / "library.sqlite"
    make_library(database)
    for _ in range(5):
        with Server(database) as server, Load(server) as load:
            slow = server.open(HUGE)
            wait_until(lambda: load.complete > 20, 20)
            process = server.process
            process.send_signal(signal.SIGTERM)
            content = b""
            while part := slow.recv(1 << 16):
                content += part
            check(process.wait(20) == 0, f"exit code {process.returncode}")
            load.is_over.set()
            check(content.endswith(b"0\r\n\r\n"), "the long answer was cut short")
            check(load.cut == 0, f"{load.cut} answers were cut short")
            print(f"    {load.complete} answers complete, 0 cut short")
    with Server(database, "--writable") as server:
        status, _, _ = server.send("POST", "/authors", {"name": "Colette"})
        check(status == 201, status)
        check(server.end() == 0, "exit code")
    names = sorted(path.name for path in directory.iterdir())
    check(names == ["library.sqlite"], names)
    count = sqlite3.connect(database).execute("SELECT count(*) FROM author WHERE name = 'Colette'").fetchone()
    check(count == (1,), "what was acknowledged is not in the file")


FAULTS = [
    killed, locked, outdated, full, replaced, late, left, crowded, slow, held_back, pipelined, ended, writes.killed_writing, writes.locked_writing,
    writes.full_writing, writes.pinned_writing, linearizability.linearizable_writing,
]
# These mount a small disk.
NEEDING_ROOT = [full, writes.full_writing, writes.pinned_writing]


def main():
    chosen = [fault for fault in FAULTS if not sys.argv[1:] or fault.__name__ in sys.argv[1:]]
    failures = 0
    for fault in chosen:
        print(f"{fault.__name__}: {fault.__doc__}", flush=True)
        if fault in NEEDING_ROOT and os.geteuid() != 0:
            print("  left out: needs root")
            continue
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as directory:
            try:
                fault(pathlib.Path(directory))
                print(f"  done in {time.monotonic() - start:.1f} s", flush=True)
            except Exception as error:
                failures += 1
                print(f"  FAILED: {type(error).__name__}: {error}", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
