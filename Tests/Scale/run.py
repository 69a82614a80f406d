"""Tests a server with standbys: run.py PROGRAM

It starts a PostgreSQL server, one standby that keeps up and one that applies everything two seconds late, and kills,
starts and promotes them while clients read and write.
"""

import http.client
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

DELAY = 2
BINARIES = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
SCHEMA = """
CREATE TABLE shelf (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE book (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, shelf_id int NOT NULL REFERENCES shelf, title text);
CREATE INDEX ON book (shelf_id);
CREATE VIEW place AS SELECT inet_server_port() AS id, pg_is_in_recovery() AS copy;
INSERT INTO shelf VALUES (1, 0);
INSERT INTO book (shelf_id, title) SELECT 1, 'Book ' || n FROM generate_series(1, 20000) n;
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"it didn't come true within {seconds} seconds")
        time.sleep(0.05)
    return found


class Server:
    """A server of PostgreSQL, which refuses to run as root."""

    def __init__(self, directory, source=None, delay=0, settings=()):
        self.data, self.port = directory, free_port()
        if source is None:
            self.run("initdb", "-U", "kindred", "-A", "trust", "-E", "UTF8", "--no-sync")
        else:
            self.run("pg_basebackup", "-R", "-c", "fast", "--no-sync", "-h", "127.0.0.1", "-p", source.port, "-U", "kindred")
        with open(directory / "postgresql.conf", "a") as file:
            file.write(f"port = {self.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = off\n")
            file.write(f"wal_keep_size = 128\nrecovery_min_apply_delay = '{delay}s'\n" + "".join(f"{s}\n" for s in settings))
        self.start()

    def run(self, program, *arguments, check=True):
        user = {} if os.getuid() else {"user": "postgres", "group": "postgres", "extra_groups": []}
        command = [BINARIES / program, "-D", self.data, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", **user)
        assert not check or done.returncode == 0, done.stderr or done.stdout

    def start(self):
        self.run("pg_ctl", "-w", "-l", f"{self.data}.log", "start")

    def stop(self):
        self.run("pg_ctl", "-w", "-m", "immediate", "stop", check=False)

    def promote(self):
        self.run("pg_ctl", "-w", "promote")

    def sql(self, text, database="library", user="kindred"):
        command = [BINARIES / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port), "-U", user]
        done = subprocess.run([*command, "-c", text, database], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def url(self, user="kindred"):
        return f"postgres://{user}@127.0.0.1:{self.port}/library"


class Kindred:
    def __init__(self, *arguments):
        command = [sys.argv[1], "serve", "--port", "0", "--log-level", "error", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("listening on "), line
        self.port = int(line.rsplit(":", 1)[1])

    def ask(self, method, target, content=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        fields = {name.replace("_", "-"): value for name, value in headers.items() if value}
        if content is not None:
            fields["Content-Type"] = "application/json"
        connection.request(method, target, None if content is None else json.dumps(content), fields)
        answer = connection.getresponse()
        answer.text = answer.read().decode()
        connection.close()
        answer.position = answer.getheader("Kindred-Position")
        return answer

    def get(self, target, **headers):
        return self.ask("GET", target, **headers)

    def place(self, **headers):
        answer = self.get("/places", **headers)
        assert answer.status == 200, answer.text
        return json.loads(answer.text)[0]["id"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(30) == 0


@contextmanager
def served(*arguments):
    program = Kindred(*arguments)
    try:
        yield program
    finally:
        program.stop()


TESTS = []


def test(function):
    TESTS.append(function)
    return function


@test
def standbys_answer_reads_in_turn_and_the_server_takes_writes(at):
    places = [at.kindred.place() for _ in range(20)]
    assert sorted(set(places)) == sorted([at.near.port, at.late.port]), places
    assert at.kindred.ask("PATCH", "/shelves/1", {"n": 1}).status == 200
    assert at.server.sql("SELECT n FROM shelf") == "1"


@test
def who_sends_positions_back_reads_what_was_written_and_never_goes_back(at):
    position, last = None, 0
    for n in range(2, 40):
        answer = at.kindred.ask("PATCH", "/shelves/1", {"n": n})
        for _ in range(3):
            answer = at.kindred.get("/shelves/1?fields=n", Kindred_Position=answer.position)
            assert json.loads(answer.text) == {"n": n}, (n, answer.text)
    for _ in range(60):
        at.server.sql("UPDATE shelf SET n = n + 1")
        answer = at.kindred.get("/shelves/1", Kindred_Position=position)
        n, position = json.loads(answer.text)["n"], answer.position
        assert n >= last, (n, last)
        last = n


@test
def a_position_is_checked_and_one_of_the_future_is_not_waited_for(at):
    assert at.kindred.get("/shelves/1", Kindred_Position="1-1/X").status == 400
    assert at.kindred.get("/shelves/1", Kindred_Position="0/1").status == 400
    assert at.kindred.get("/shelves/1", Kindred_Position="2-0/1").status == 503
    assert at.kindred.place(Kindred_Position="1-FFFFFFFF/0") == at.server.port


@test
def assistants_send_positions_too(at):
    call = {"name": "fetch", "arguments": {"url": "/places"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    fields = {"Accept": "application/json, text/event-stream", "MCP_Protocol_Version": "2025-11-25"}
    answer = at.kindred.ask("POST", "/-/mcp", message, Kindred_Position="1-FFFFFFFF/0", **fields)
    text = json.loads(answer.text)["result"]["content"][0]["text"]
    assert json.loads(text)[0]["id"] == at.server.port and answer.position, answer.text


@test
def conditions_hold_whoever_answers(at):
    until(lambda: len({at.kindred.get("/shelves").text for _ in range(6)}) == 1)
    tags = {at.kindred.get("/shelves").getheader("ETag") for _ in range(6)}
    assert len(tags) == 1, tags
    [tag] = tags
    for _ in range(6):
        answer = at.kindred.get("/shelves", If_None_Match=tag)
        assert answer.status == 304 and answer.position, answer.status
    # A transaction that has been open for longer than others doesn't hide what they have committed.
    commands = [BINARIES / "psql", "-Xq", "-h", "127.0.0.1", "-p", str(at.server.port), "-U", "kindred", "library"]
    with subprocess.Popen(commands, stdin=subprocess.PIPE, text=True) as older:
        older.stdin.write("BEGIN; INSERT INTO book (shelf_id) VALUES (1);\n")
        older.stdin.flush()
        until(lambda: at.server.sql("SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'") == "1")
        at.server.sql("UPDATE shelf SET n = n + 1")
        n = int(at.server.sql("SELECT n FROM shelf"))
        until(lambda: all(json.loads(at.kindred.get("/shelves").text)[0]["n"] == n for _ in range(4)))
        answers = [at.kindred.get("/shelves", If_None_Match=tag) for _ in range(4)]
        assert [answer.status for answer in answers] == [200] * 4
        older.stdin.close()


@test
def a_long_answer_is_whole_while_its_standby_replays(at):
    texts = []
    reader = threading.Thread(target=lambda: texts.append(at.kindred.get("/books?format=ndjson").text))
    reader.start()
    at.server.sql("UPDATE book SET title = title || '.' WHERE id < 100")
    reader.join()
    assert texts[0].count("\n") == 20000, texts[0][-200:]


@test
def a_standby_that_ends_is_left_out_and_taken_again(at):
    at.near.stop()
    assert {at.kindred.place() for _ in range(12)} == {at.late.port}
    at.late.stop()
    assert {at.kindred.place() for _ in range(6)} == {at.server.port}
    text = at.kindred.get("/-/metrics").text
    assert text.count("kindred_replica_up{") == 2 and "} 1" not in text.split("kindred_replica_up{", 1)[1].split("# ")[0]
    at.near.start()
    until(lambda: at.kindred.place() == at.near.port)
    at.late.start()
    until(lambda: at.late.port in {at.kindred.place() for _ in range(4)})


@test
def a_standby_too_far_behind_is_left_out(at):
    with served(at.server.url(), "--replica", at.late.url(), "--replica-lag", "500ms") as program:
        def is_left_out():
            at.server.sql("UPDATE shelf SET n = n + 1")
            return program.place() == at.server.port
        until(is_left_out, 10)
        for _ in range(20):
            assert is_left_out()


@test
def without_the_server_reads_go_on(at):
    at.server.stop()
    try:
        assert all(at.kindred.get("/shelves/1?include=books&books.limit=2").status == 200 for _ in range(8))
        written = at.kindred.ask("PATCH", "/shelves/1", {"n": 0})
        assert written.status == 503 and written.getheader("Retry-After"), written.status
        assert at.kindred.get("/-/ready").status == 503
        unreachable = at.kindred.get("/shelves/1", Kindred_Position="1-FFFFFFFF/0")
        assert unreachable.status == 503, unreachable.status
    finally:
        at.server.start()
    until(lambda: at.kindred.ask("PATCH", "/shelves/1", {"n": 1}).status == 200)


@test
def a_standby_that_becomes_the_server_takes_the_writes(at):
    hosts = f"127.0.0.1:{at.server.port},127.0.0.1:{at.near.port}"
    url = f"postgres://kindred@{hosts}/library?target_session_attrs=read-write"
    with served(url, "--writable", "--replica", at.near.url(), "--replica", at.late.url()) as program:
        assert program.ask("PATCH", "/shelves/1", {"n": 700}).status == 200
        until(lambda: at.near.sql("SELECT n FROM shelf") == "700")
        tag = program.get("/shelves").getheader("ETag")
        at.server.stop()
        at.near.promote()
        answer = until(lambda: (a := program.ask("PATCH", "/shelves/1", {"n": 701})).status == 200 and a)
        read = program.get("/shelves", Kindred_Position=answer.position, If_None_Match=tag)
        assert read.status == 200 and json.loads(read.text)[0]["n"] == 701, read.status
        assert at.near.sql("SELECT n FROM shelf") == "701"


@test
def writes_go_on_where_the_server_allows_few_connections(at):
    at.server.start()
    at.server.sql("CREATE ROLE narrow LOGIN CONNECTION LIMIT 4; GRANT ALL ON ALL TABLES IN SCHEMA public TO narrow")
    with served(at.server.url("narrow"), "--writable") as program:
        stop, refused = threading.Event(), []

        def read():
            while not stop.is_set():
                answer = program.get("/shelves?include=books&books.limit=5")
                if answer.status != 200:
                    refused.append(answer.text)

        readers = [threading.Thread(target=read) for _ in range(16)]
        for reader in readers:
            reader.start()
        time.sleep(1)
        # While all read, and when all connections for reading are idle.
        statuses = [program.ask("PATCH", "/shelves/1", {"n": n}).status for n in range(10)]
        stop.set()
        for reader in readers:
            reader.join()
        statuses += [program.ask("PATCH", "/shelves/1", {"n": n}).status for n in range(10)]
        assert statuses == [200] * 20, statuses
        assert not refused, refused[:2]


@test
def no_more_connections_are_opened_than_are_allowed(at):
    count = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'counted'"
    at.server.sql("CREATE ROLE counted LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO counted")
    for limit in (2, 3, 6):
        with served(at.server.url("counted"), "--writable", "--connections", str(limit)) as program:
            stop, statuses, most = threading.Event(), [], []

            def work(number):
                while not stop.is_set():
                    write = number % 3 == 0
                    answer = (
                        program.ask("PATCH", "/shelves/1", {"n": number})
                        if write
                        else program.get("/shelves?include=books&books.limit=3")
                    )
                    statuses.append(answer.status)

            workers = [threading.Thread(target=work, args=[number]) for number in range(9)]
            for worker in workers:
                worker.start()
            for _ in range(15):
                most.append(int(at.server.sql(count)))
                time.sleep(0.1)
            stop.set()
            for worker in workers:
                worker.join()
            # A session may end a moment after its successor has begun.
            assert sorted(most)[len(most) // 2] <= limit, most
            assert set(statuses) == {200}, set(statuses)


@test
def a_start_waits_for_a_database_that_is_not_there_yet(at):
    url = at.server.url().replace("/library", "/later")
    port = free_port()
    command = [sys.argv[1], "serve", url, "--port", str(port), "--log-level", "error"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        program = Kindred.__new__(Kindred)
        program.port = port

        def status():
            try:
                return program.get("/-/health").status
            except OSError:
                return None

        until(lambda: status() == 503)
        at.server.sql("CREATE DATABASE later", "postgres")
        assert process.stdout.readline().startswith("listening on "), process.poll()
        assert status() == 200
        process.terminate()
    command[2] = url.replace("later", "never")
    start = time.monotonic()
    ended = subprocess.run([*command, "--wait", "2s"], capture_output=True, text=True, timeout=60)
    assert ended.returncode and "never" in ended.stderr and time.monotonic() - start > 1.5, ended.stderr


def main():
    scratch = Path(tempfile.mkdtemp(prefix="kindred-scale-"))
    if not os.getuid():
        owner = pwd.getpwnam("postgres")
        os.chown(scratch, owner.pw_uid, owner.pw_gid)

    class at:
        pass

    servers, failed = [], 0
    try:
        at.server = Server(scratch / "server", settings=["max_connections = 60"])
        servers.append(at.server)
        at.server.sql("CREATE DATABASE library", "postgres")
        at.server.sql(SCHEMA)
        at.near = Server(scratch / "near", at.server)
        servers.append(at.near)
        at.late = Server(scratch / "late", at.server, delay=DELAY)
        servers.append(at.late)
        at.kindred = Kindred(at.server.url(), "--writable", "--replica", at.near.url(), "--replica", at.late.url())
        for one in TESTS:
            name = one.__name__.replace("_", " ")
            try:
                one(at)
                print(f"ok   {name}", flush=True)
            except Exception as error:  # Any failure is one of this test.
                failed += 1
                print(f"FAIL {name}: {type(error).__name__} {error}", flush=True)
        at.kindred.stop()
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"{len(TESTS) - failed} of {len(TESTS)} passed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
