#!/usr/bin/env python3
"""Checks what requests cost: the memory of many long contents at once, and the processor time of many equal requests.

    Tests/Endurance/contents.py [memory|time]

It takes a minute. The server runs in a control group of 256 MiB where the system lets one be made, which requires root;
without it, the memory that the kernel has counted is compared.
"""

import contextlib
import itertools
import os
import pathlib
import select
import sqlite3
import sys
import tempfile
import time

import requests
from checks import check
from server import Server, make_library, wait_until

CONTAINER = 256
# The clients at once, and how many of them one address may have.
CROWD, EQUALS = 64, 30
# What doesn't have its turn in this time is refused.
SHORT = ["--query-timeout", "3s"]
# Connections of the requests before may not be closed yet, and kept answers take memory of their own.
COMMON = ["--writable", "--max-connections-per-client", "96", "--response-cache", "0"]


class Group:
    """A control group of a size, in either version, which ends the server that takes more."""

    def __init__(self, size):
        self.size, self.path = size, None

    def __enter__(self):
        for root, limit in [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")]:
            path = pathlib.Path(root, f"kindred-{os.getpid()}")
            with contextlib.suppress(OSError):
                path.mkdir()
                self.path = path
                # A directory is no control group if the controller isn't mounted there.
                (path / "cgroup.procs").read_text()
                (path / limit).write_text(str(self.size << 20))
                return self
            self.remove()
        print(f"    no control group can be made here; the server's own figures must stay below {self.size} MiB")
        return self

    def __exit__(self, *_):
        if self.path:
            wait_until(lambda: not (self.path / "cgroup.procs").read_text(), 5)
        self.remove()

    def enter(self):
        """Moves the process that calls it into the group."""
        if self.path:
            (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self):
        if self.path:
            with contextlib.suppress(OSError):
                self.path.rmdir()
        self.path = None


def make_database(path):
    make_library(path, books=5_000)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c TEXT, d JSON)")
    connection.commit()
    connection.close()


# Each request has another number, so that no cached answer serves it.
numbers = itertools.count()


def answered(server, kind, count, seconds):
    """The statuses of requests of one kind at once."""
    with requests.sent(server, [kind.bytes(next(numbers)) for _ in range(count)]) as clients:
        end = time.monotonic() + seconds
        while clients.open and time.monotonic() < end:
            if not clients.go_on(kind.end):
                select.select(list(clients.open), [c for c in clients.open if clients.rest[c]], [], 0.1)
        check(not clients.open, f"{len(clients.open)} of {count} requests ({kind.name}) are not answered in {seconds} s")
        return clients.statuses


def counted(statuses):
    return ", ".join(f"{statuses.count(status)} × {status}" for status in sorted(set(statuses)))


def memory(directory):
    """64 contents of a megabyte at once, of any kind, within 256 MiB; afterwards the memory goes back."""
    database = directory / "library.sqlite"
    make_database(database)
    with Group(CONTAINER) as group, Server(database, *COMMON, *SHORT, before=group.enter) as server:
        check(server.get("/books?limit=2&include=author")[0] == 200, "the server does not answer")
        idle, failures = server.memory, []
        for kind in requests.heavy():
            server.forget_peak()
            statuses = answered(server, kind, 1, 30)
            check(server.is_running, f"{kind.name}: the server was ended by one request")
            alone = server.peak_memory - idle
            start = time.monotonic()
            server.forget_peak()
            statuses += answered(server, kind, CROWD, 60)
            check(server.is_running, f"{kind.name}: the server was ended")
            peak, seconds = server.peak_memory, time.monotonic() - start
            print(
                f"    {kind.name}: {counted(statuses[:1])}, {alone} MiB above {idle}; {CROWD} at once "
                f"{counted(statuses[1:])}, {peak} MiB, {seconds:.1f} s", flush=True,
            )
            if alone > 64:
                failures.append(f"{kind.name}: {alone} MiB above idle for one request")
            if peak > CONTAINER:
                failures.append(f"{kind.name}: {peak} MiB")
            if set(statuses) & {0, 429, 500} or statuses[0] == 503:
                failures.append(f"{kind.name}: {counted(statuses)}")
            if not wait_until(lambda: server.memory <= idle + 16, 30):
                failures.append(f"{kind.name}: {server.memory - idle} MiB stay")
        check(not failures, "; ".join(failures))


# The length of contents whose cost is measured.
LENGTH = 80_000


def cost(server, kind, count):
    before = server.processor_time
    statuses = answered(server, kind, count, 120)
    return server.processor_time - before, statuses


def times(directory):
    """30 equal requests at once cost about as much as 30 one after another, and those whose clients leave end."""
    database = directory / "library.sqlite"
    make_database(database)
    failures = []
    with Server(database, *COMMON) as server:
        for kind in requests.kinds(LENGTH):
            # What a request costs at least: other programs on the processors only add to it.
            _, statuses = cost(server, kind, 1)
            alone = min(cost(server, kind, 1)[0] for _ in range(3))
            crowd = min(cost(server, kind, EQUALS) for _ in range(2))
            after = left(server, kind)
            print(
                f"    {kind.name}: {counted(statuses)}, {alone * 1000:.1f} ms; {EQUALS} at once {counted(crowd[1])}, "
                f"{crowd[0] / EQUALS * 1000:.1f} ms each; {after * 1000:.0f} ms after all have left", flush=True,
            )
            if set(statuses + crowd[1]) & {0, 429, 500}:
                failures.append(f"{kind.name}: {counted(statuses + crowd[1])}")
            # Two processors that share a core take longer for each request; a lock that all wait for costs many times as much.
            if crowd[0] > 3 * EQUALS * alone + 0.1:
                failures.append(f"{kind.name}: {crowd[0]:.2f} s for {EQUALS} at once, {alone:.4f} s alone")
            if after > max(1, EQUALS * alone / 2):
                failures.append(f"{kind.name}: {after:.2f} s of work for clients that have left")
    check(not failures, "; ".join(failures))


def connections(server):
    metrics = server.get("/-/metrics")[2].decode()
    return next(int(line.split()[1]) for line in metrics.splitlines() if line.startswith("kindred_http_connections "))


def left(server, kind):
    """The processor time that requests take after their clients have left."""
    with requests.sent(server, [kind.bytes(next(numbers)) for _ in range(EQUALS)]) as clients:
        end = time.monotonic() + 5
        while any(clients.rest[connection] for connection in clients.open) and time.monotonic() < end:
            clients.go_on()
    before = server.processor_time

    def is_idle():
        last = server.processor_time
        time.sleep(0.1)
        return server.processor_time - last < 0.002

    check(wait_until(is_idle, 60), f"{kind.name}: the server works on")
    spent = server.processor_time - before
    # The one that asks is open, and one before it may be.
    check(wait_until(lambda: connections(server) <= 2, 20), f"{kind.name}: {connections(server)} connections stay")
    return spent


def main():
    failed = False
    for name, test in [("memory", memory), ("time", times)]:
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        print(f"{name}: {test.__doc__}", flush=True)
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as directory:
            try:
                test(pathlib.Path(directory))
                print(f"  done in {time.monotonic() - start:.1f} s", flush=True)
            except Exception as error:
                failed = True
                print(f"  FAILED: {type(error).__name__}: {error}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
