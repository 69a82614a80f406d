"""Starts a server, sends requests to it, and reads the operating system's figures about its process."""

import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import threading
import time
import urllib.parse

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("KINDRED", str(REPOSITORY / ".build/release/kindred"))
# A result that takes a while to read.
HUGE = "/books?include=author.country,reviews"


class Clients:
    """Threads that run until the end of a `with` statement; subclasses set `threads` and look at `is_over`."""

    def __init__(self):
        self.is_over, self.threads = threading.Event(), []

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self.threads:
            thread.join()


def make_library(path, books=20_000, journal="wal"):
    """Creates the sample library with additional books, so that reading all of them takes a while."""
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode = {journal}")
    for migration in sorted((REPOSITORY / "Migrations").glob("*.sql")):
        connection.executescript(migration.read_text())
    connection.execute(
        """
        WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
        INSERT INTO book (authorId, title, kind, year, price, pages)
        SELECT (SELECT min(id) FROM author) + n % (SELECT count(*) FROM author), 'Volume ' || n,
          CASE n % 3 WHEN 0 THEN 'novel' WHEN 1 THEN 'poem' END, 1500 + n % 500, n % 50 + 0.5, 100 + n % 900
        FROM number
        """,
        (books,),
    )
    connection.execute("INSERT INTO review (bookId, rating) SELECT id, 1 + id % 5 FROM book")
    connection.commit()
    connection.close()


@contextlib.contextmanager
def small_disk(directory, size):
    """Mounts a small disk, which requires root."""
    small = directory / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", small], check=True)
    try:
        yield small
    finally:
        subprocess.run(["umount", small], check=True)


class Server:
    """A server process on a free port."""

    def __init__(self, database, *arguments, environment=None, log=None, before=None):
        self.log = log or subprocess.DEVNULL
        self.process = subprocess.Popen(
            [PROGRAM, "serve", str(database), "--port", "0", "--log-level", "error", *arguments],
            stdout=subprocess.PIPE,
            stderr=self.log,
            env={**os.environ, **(environment or {})},
            preexec_fn=before,
            text=True,
        )
        line = self.process.stdout.readline()
        assert line.startswith("listening on"), f"the server does not start: {line!r}"
        url = urllib.parse.urlsplit(line.split()[-1])
        self.scheme, self.port = url.scheme, url.port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.is_running:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    @property
    def is_running(self):
        return self.process.poll() is None

    def end(self, number=signal.SIGTERM, seconds=20):
        """Sends a signal and returns the exit code."""
        self.process.send_signal(number)
        return self.process.wait(seconds)

    def get(self, target, headers=None, seconds=30):
        """Returns the status, the header fields and the content of an answer, on a new connection."""
        return self.send("GET", target, headers=headers, seconds=seconds)

    def send(self, method, target, document=None, headers=None, seconds=30):
        """Like `get`, with a JSON document as the content."""
        headers = {"Connection": "close", **(headers or {})}
        body = None
        if document is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(document)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            connection.request(method, encode(target), body=body, headers=headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def connect(self, receive_buffer=None):
        """A connection on which nothing has been sent."""
        connection = socket.socket()
        if receive_buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        connection.settimeout(30)
        connection.connect(("127.0.0.1", self.port))
        return connection

    def open(self, target, receive_buffer=None):
        """Opens a connection and sends a request, without reading the answer."""
        connection = self.connect(receive_buffer)
        connection.sendall(f"GET {encode(target)} HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n\r\n".encode())
        return connection

    # Linux's figures about the process (proc(5)).

    def _status(self, name):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])

    @property
    def memory(self):
        """Resident memory, in MiB."""
        return self._status("VmRSS") // 1024

    def forget_peak(self):
        """Begins to measure the peak of the memory anew."""
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    @property
    def peak_memory(self):
        """The largest resident memory so far, in MiB."""
        return self._status("VmHWM") // 1024

    @property
    def threads(self):
        return self._status("Threads")

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    @property
    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def processor_time(self):
        """The processor time of the process in seconds, exactly: by its clock (clock_getcpuclockid(3))."""
        return time.clock_gettime((~self.process.pid << 3) | 2)


def encode(target):
    return urllib.parse.quote(target, safe="/?&=,.:;!*'()~-_@+$")


def wait_until(condition, seconds):
    """Whether the condition becomes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return condition()
