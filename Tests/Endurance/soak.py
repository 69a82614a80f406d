#!/usr/bin/env python3
"""A server under full load for some minutes: its memory, descriptors and threads must stay flat.

    Tests/Endurance/soak.py [MINUTES]

Needs wrk. Clients that read slowly, and clients that leave in the middle, are mixed in, and a writer of another
process commits twice a second. Ends with an error where something grew or an answer was other than it may be.
"""

import pathlib
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from server import Server, make_library, wait_until

HERE = pathlib.Path(__file__).parent
HUGE = "/books?include=author.country,reviews"


class Disturbances:
    """What goes on beside the load, until it is over."""

    def __init__(self, server, database):
        self.server, self.database = server, database
        self.is_over = threading.Event()
        self.counts = {"leavers": 0, "slow readers": 0, "commits": 0}
        self.threads = [threading.Thread(target=t) for t in (self.leave, self.leave, self.read_slowly, self.write)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

    def leave(self):
        """Asks for much, and goes after a little of it."""
        while not self.is_over.wait(0.1):
            connection = self.server.open(HUGE, receive_buffer=4096)
            if random.random() < 0.7:
                connection.recv(1000)
            connection.close()
            self.counts["leavers"] += 1

    def read_slowly(self):
        """Takes a few kilobytes a second of many answers at a time."""
        while not self.is_over.is_set():
            connections = [self.server.open(HUGE, receive_buffer=4096) for _ in range(8)]
            for _ in range(100):
                if self.is_over.wait(0.1):
                    break
                for connection in connections:
                    connection.recv(500)
            for connection in connections:
                connection.close()
            self.counts["slow readers"] += len(connections)

    def write(self):
        connection = sqlite3.connect(self.database, timeout=30, isolation_level=None)
        while not self.is_over.wait(0.5):
            connection.execute("UPDATE book SET pages = pages % 900 + 100 WHERE id = ?", (random.randrange(1, 20_000),))
            self.counts["commits"] += 1
        connection.close()


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 15
    if not shutil.which("wrk"):
        sys.exit("soak: install wrk")
    with tempfile.TemporaryDirectory() as directory:
        database = pathlib.Path(directory) / "library.sqlite"
        make_library(database)
        with open(pathlib.Path(directory) / "log", "w+") as log:
            with Server(database, log=log) as server:
                is_good = soak(server, database, minutes * 60)
            log.seek(0)
            lines = log.readlines()
            print(f"lines in the log of errors: {len(lines)}", *lines[:5], sep="\n  ")
    sys.exit(0 if is_good and not lines else 1)


def soak(server, database, seconds):
    rest = server.descriptors
    samples = []
    load = subprocess.Popen(
        ["wrk", "--threads", "2", "--connections", "64", "--duration", f"{int(seconds)}s", "--timeout", "30s",
         "--script", "routes.lua", f"http://127.0.0.1:{server.port}"],
        stdout=subprocess.PIPE, text=True, cwd=HERE,
    )
    with Disturbances(server, database) as disturbances:
        start = time.monotonic()
        while load.poll() is None and time.monotonic() - start < seconds + 60:
            time.sleep(min(10, seconds / 30))
            samples.append((time.monotonic() - start, server.memory, server.descriptors, server.threads))
            print("%5.0f s  %4d MiB  %3d descriptors  %2d threads" % samples[-1], flush=True)
    load.kill()
    report = load.stdout.read()
    print(report, disturbances.counts)
    metrics = server.get("/-/metrics")[2].decode()
    print(*re.findall(r"^kindred_\w*requests\w*\{.*$", metrics, re.M), sep="\n")

    is_good = "Socket errors" not in report
    # The first fifth fills the caches.
    steady = samples[len(samples) // 5 :]
    half = len(steady) // 2
    for column, name, slack in [(1, "MiB", 16), (2, "descriptors", 16), (3, "threads", 4)]:
        first, last = (statistics.median(s[column] for s in part) for part in (steady[:half], steady[half:]))
        print(f"{name}: {first} in the first half, {last} in the second")
        is_good &= last <= first * 1.1 + slack
    # A reading connection keeps its descriptors.
    is_good &= wait_until(lambda: server.descriptors <= rest + 16 * 4, 10)
    print(f"afterwards: {server.memory} MiB, {server.descriptors} descriptors, {server.threads} threads")
    return is_good and server.end() == 0


if __name__ == "__main__":
    main()
