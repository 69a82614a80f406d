#!/usr/bin/env python3
"""Runs servers under full load for some minutes: memory, descriptors and threads must stay constant.

    Tests/Endurance/soak.py [MINUTES]

Requires wrk and openssl. Two servers share a database: one uses TLS, the other one is writable. Some clients read
slowly, disconnect early, or write and delete trees, and another process commits twice a second. Exits with an error if
a figure has grown or an answer is wrong.
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

from server import HUGE, Clients, Server, make_library, wait_until

HERE = pathlib.Path(__file__).parent


class Disturbances(Clients):
    """Other activity during the load."""

    def __init__(self, server, database):
        super().__init__()
        self.server, self.database = server, database
        self.counts = {"leavers": 0, "slow readers": 0, "commits of another process": 0, "writes": 0}
        self.failures = []
        tasks = (self.leave, self.leave, self.read_slowly, self.commit, self.write, self.write)
        self.threads = [threading.Thread(target=self.run, args=(task,)) for task in tasks]

    def run(self, task):
        try:
            task()
        except Exception as failure:
            self.failures.append(f"{task.__name__}: {type(failure).__name__}: {failure}")

    def leave(self):
        """Requests large results and disconnects after reading a little."""
        while not self.is_over.wait(0.1):
            connection = self.server.open(HUGE, receive_buffer=4096)
            if random.random() < 0.7:
                connection.recv(1000)
            connection.close()
            self.counts["leavers"] += 1

    def read_slowly(self):
        """Reads many answers at the same time, a few kilobytes per second each."""
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
        """Adds, changes and deletes trees, so that the size of the database doesn't change."""
        def send(method, target, document=None):
            status, headers, body = self.server.send(method, target, document)
            # Another process may hold the lock for longer than a write waits.
            assert status in (200, 201, 204, 503), f"{status}: {body[:300]}"
            self.counts["writes"] += status != 503
            return status, headers

        while not self.is_over.wait(0.02):
            reviews = [{"rating": 5}, {"rating": 1}]
            status, headers = send("POST", "/books", {"title": "Soaked", "reviews": reviews})
            if status != 201:
                continue
            place = headers["Location"]
            send("PATCH", place, {"pages": random.randrange(1, 1000)})
            while send("DELETE", place)[0] != 204:
                pass

    def commit(self):
        connection = sqlite3.connect(self.database, timeout=30, isolation_level=None)
        while not self.is_over.wait(0.5):
            connection.execute("UPDATE book SET pages = pages % 900 + 100 WHERE id = ?", (random.randrange(1, 20_000),))
            self.counts["commits of another process"] += 1
        connection.close()


class Samples:
    """The operating system's figures about one server over time."""

    # Allowed in addition to a tenth: the memory of another thread or statement.
    LIMITS = {"MiB": 16, "descriptors": 16, "threads": 4}

    def __init__(self, name, server):
        self.name, self.server, self.rest, self.rows = name, server, server.descriptors, []

    def take(self, time):
        self.rows.append((self.server.memory, self.server.descriptors, self.server.threads))
        print(f"{time:5.0f} s  {self.name:5}  %4d MiB  %3d descriptors  %2d threads" % self.rows[-1], flush=True)

    @property
    def are_flat(self):
        # Caches are filled during the first fifth.
        steady = self.rows[len(self.rows) // 5 :]
        half = len(steady) // 2
        is_flat = True
        for column, (unit, slack) in enumerate(self.LIMITS.items()):
            first, last = (statistics.median(row[column] for row in part) for part in (steady[:half], steady[half:]))
            print(f"{self.name}: {first:g} {unit} in the first half, {last:g} in the second")
            is_flat &= last <= first * 1.1 + slack
        # Connections for reading keep their descriptors.
        is_flat &= wait_until(lambda: self.server.descriptors <= self.rest + 16 * 4, 10)
        server = self.server
        print(f"{self.name}: afterwards {server.memory} MiB, {server.descriptors} descriptors, {server.threads} threads")
        return is_flat


def start_load(server, seconds, connections):
    return subprocess.Popen(
        ["wrk", "--threads", "2", "--connections", str(connections), "--duration", f"{int(seconds)}s",
         "--timeout", "30s", "--script", "routes.lua", f"{server.scheme}://127.0.0.1:{server.port}"],
        stdout=subprocess.PIPE, text=True, cwd=HERE,
    )


def soak(plain, secure, database, seconds):
    loads = [start_load(plain, seconds, 64), start_load(secure, seconds, 16)]
    samples = [Samples("plain", plain), Samples("TLS", secure)]
    with Disturbances(plain, database) as disturbances:
        start = time.monotonic()
        while loads[0].poll() is None and time.monotonic() - start < seconds + 60:
            time.sleep(min(5, seconds / 30))
            for sample in samples:
                sample.take(time.monotonic() - start)
    reports = []
    for load in loads:
        load.terminate()
        reports.append(load.stdout.read())
    print(*reports, disturbances.counts, sep="\n")
    metrics = plain.get("/-/metrics")[2].decode()
    print(*re.findall(r"^kindred_\w*requests\w*\{.*$", metrics, re.M), sep="\n")
    is_good = not any("Socket errors" in report for report in reports) and not disturbances.failures
    print(*disturbances.failures, sep="\n")
    for sample in samples:
        is_good &= sample.are_flat
    return plain.end() == 0 and secure.end() == 0 and is_good


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 15
    if not shutil.which("wrk"):
        sys.exit("soak: install wrk")
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        database = directory / "library.sqlite"
        make_library(database)
        key, certificate = directory / "key.pem", directory / "certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-keyout", key, "-out", certificate], check=True, capture_output=True)
        with open(directory / "log", "w+") as log:
            pair = ("--tls-certificate", str(certificate), "--tls-key", str(key))
            with Server(database, "--writable", log=log) as plain, Server(database, *pair, log=log) as secure:
                is_good = soak(plain, secure, database, minutes * 60)
            log.seek(0)
            lines = log.readlines()
            print(f"lines in the log of errors: {len(lines)}", *lines[:5], sep="\n  ")
    sys.exit(0 if is_good and not lines else 1)


if __name__ == "__main__":
    main()
