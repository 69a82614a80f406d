"""Tests servers of PostgreSQL that are restarted, frozen, left behind or replaced: failover.py PROGRAM"""

import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from run import BINARIES, Server, served, until

SCHEMA = """
CREATE TABLE shelf (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE payment (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text);
INSERT INTO shelf VALUES (1, 0);
"""

TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Servers:
    """Servers in a scratch directory, which end with the test."""

    def __init__(self):
        self.scratch = Path(tempfile.mkdtemp(prefix="kindred-failover-"))
        self.all = []
        if not os.getuid():
            owner = pwd.getpwnam("postgres")
            os.chown(self.scratch, owner.pw_uid, owner.pw_gid)

    def new(self, source=None, *settings):
        server = Server(self.scratch / f"server{len(self.all)}", source, settings=settings)
        self.all.append(server)
        if source is None:
            server.sql("CREATE DATABASE library", "postgres")
            server.sql(SCHEMA)
        return server

    def close(self):
        for server in self.all:
            for process in processes(server):
                os.kill(process, signal.SIGCONT)
            server.stop()
        shutil.rmtree(self.scratch, ignore_errors=True)


def processes(server):
    """The postmaster and its children."""
    try:
        parent = int((server.data / "postmaster.pid").read_text().split("\n")[0])
    except (OSError, ValueError):
        return []
    children = subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True).stdout.split()
    return [parent, *map(int, children)]


def hosts(*servers):
    names = ",".join(f"127.0.0.1:{server.port}" for server in servers)
    return f"postgres://kindred@{names}/library?target_session_attrs=read-write"


class Gap:
    """The longest time without a success of several threads."""

    def __init__(self):
        self.lock, self.last, self.longest, self.statuses = threading.Lock(), time.monotonic(), 0, {}

    def note(self, status, good):
        with self.lock:
            self.statuses[status] = self.statuses.get(status, 0) + 1
            if status in good:
                now = time.monotonic()
                self.longest, self.last = max(self.longest, now - self.last), now


def work(seconds, *bodies):
    """Runs each body again and again, each in a thread."""
    end = time.monotonic() + seconds

    def loop(body):
        while time.monotonic() < end:
            body()

    threads = [threading.Thread(target=loop, args=[body]) for body in bodies]
    for thread in threads:
        thread.start()
    return threads


@test
def a_restart_under_writes_with_keys_costs_its_own_time(servers):
    server = servers.new()
    writes, reads = Gap(), Gap()
    with served(server.url(), "--writable") as program:
        program.ask("POST", "/payments", {"name": "first"}, Idempotency_Key='"first"')
        program.get("/shelves")

        def write():
            status = program.ask("POST", "/payments", {"name": "a"}, Idempotency_Key=f'"{os.urandom(9).hex()}"').status
            writes.note(status, {201})

        threads = work(8, *[write] * 12, *[lambda: reads.note(program.get("/payments?limit=1").status, {200})] * 6)
        time.sleep(3)
        start = time.monotonic()
        server.run("pg_ctl", "-w", "-m", "fast", "-l", f"{server.data}.log", "restart")
        took = time.monotonic() - start
        for thread in threads:
            thread.join()
    print(f"     restart {took:.2f} s, without a write {writes.longest:.2f} s, without a read {reads.longest:.2f} s")
    assert max(writes.longest, reads.longest) < took + 1.5, (took, writes.longest, reads.longest)
    assert set(writes.statuses) <= {201, 503} and set(reads.statuses) <= {200, 503}, (writes.statuses, reads.statuses)


@test
def a_first_host_that_does_not_answer_holds_no_request_beyond_its_time(servers):
    first = servers.new()
    second = servers.new(first)
    slow, gap = [], Gap()
    with served(hosts(first, second), "--writable", "--query-timeout", "4s") as program:
        assert program.ask("PATCH", "/shelves/1", {"n": 1}).status == 200
        until(lambda: second.sql("SELECT n FROM shelf") == "1")

        def read():
            start = time.monotonic()
            status = program.get(f"/shelves?filter=n>{start}").status
            slow.append(time.monotonic() - start)
            gap.note(status, {200})

        threads = work(12, *[read] * 8)
        time.sleep(1)
        for process in processes(first):
            os.kill(process, signal.SIGSTOP)
        time.sleep(0.5)
        for path in ("/-/health", "/-/metrics", "/", "/-/schema"):
            start = time.monotonic()
            assert program.get(path).status == 200, path
            assert time.monotonic() - start < 3, path
        assert program.get("/-/ready").status == 503
        promoted = time.monotonic()
        second.promote()
        until(lambda: program.ask("PATCH", "/shelves/1", {"n": 2}).status == 200, 10)
        back = time.monotonic() - promoted
        for thread in threads:
            thread.join()
    print(f"     the slowest request {max(slow):.2f} s, a write {back:.2f} s after the promotion")
    assert max(slow) < 5.5, max(slow)
    assert second.sql("SELECT n FROM shelf") == "2"


@test
def a_copy_that_was_left_behind_answers_nothing(servers):
    old = servers.new()
    new = servers.new(old)
    url = hosts(old, new)
    with served(url, "--writable", "--replica", old.url(), "--replica", new.url()) as program:
        assert program.ask("PATCH", "/shelves/1", {"n": 1}).status == 200
        until(lambda: new.sql("SELECT n FROM shelf") == "1")
        # Its tail is lost: the standby stops to receive, and is promoted.
        new.sql("ALTER SYSTEM SET primary_conninfo = ''")
        new.sql("SELECT pg_reload_conf()")
        until(lambda: new.sql("SELECT count(*) FROM pg_stat_wal_receiver") == "0")
        old.sql("CREATE TABLE lost AS SELECT generate_series(1, 100000) n")
        lost = program.ask("PATCH", "/shelves/1", {"n": 2})
        assert lost.status == 200 and lost.position.startswith("1-"), lost.position
        new.promote()
        (old.data / "standby.signal").touch()
        old.run("pg_ctl", "-w", "-m", "fast", "-l", f"{old.data}.log", "restart")
        answer = until(lambda: (a := program.ask("PATCH", "/shelves/1", {"n": 3})).status == 200 and a, 10)
        assert answer.position.startswith("2-"), answer.position
        for position in (answer.position, lost.position):
            for _ in range(20):
                read = program.get("/shelves/1", Kindred_Position=position)
                assert read.status == 200 and json.loads(read.text)["n"] == 3, (position, read.text)
        metrics = program.get("/-/metrics").text
        assert any("kindred_replica_up" in line and f":{old.port}/" in line and line.endswith(" 0")
                   for line in metrics.splitlines()), metrics


@test
def a_server_of_another_system_is_no_replica(servers):
    server, other = servers.new(), servers.new()
    other.sql("UPDATE shelf SET n = 666")
    with served(server.url(), "--replica", other.url()) as program:
        assert {json.loads(program.get("/shelves/1").text)["n"] for _ in range(20)} == {0}


@test
def two_servers_at_once_are_never_used_together(servers):
    old = servers.new()
    new = servers.new(old)
    with served(hosts(new, old), "--writable") as program:
        assert program.ask("PATCH", "/shelves/1", {"n": 1}).status == 200
        program.get("/shelves/1")
        until(lambda: new.sql("SELECT n FROM shelf") == "1")
        # The old one isn't fenced off, and accepts writes further on.
        new.promote()
        for process in old.sql("SELECT pid FROM pg_stat_activity WHERE query ~ 'BEGIN|COMMIT'").split():
            old.sql(f"SELECT pg_terminate_backend({process}) WHERE {process} <> pg_backend_pid()")
        for n in range(2, 40):
            written = program.ask("PATCH", "/shelves/1", {"n": n})
            assert written.status == 200, written.text
            tag = written.getheader("ETag")
            read = program.get("/shelves/1", If_None_Match='"none"')
            assert json.loads(read.text)["n"] == n and read.getheader("ETag") == tag, (n, read.text)


@test
def a_commit_that_waits_for_a_standby_outlasts_its_client(servers):
    server = servers.new()
    standby = servers.new(server)
    server.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
    server.sql("SELECT pg_reload_conf()")
    until(lambda: server.sql("SELECT sync_state FROM pg_stat_replication") == "sync")
    with served(server.url(), "--writable", "--query-timeout", "2s") as program:
        assert program.ask("POST", "/payments", {"name": "0"}, Idempotency_Key='"0"').status == 201
        stopped = processes(standby)
        for process in stopped:
            os.kill(process, signal.SIGSTOP)
        first = program.ask("POST", "/payments", {"name": "1"}, Idempotency_Key='"1"')
        assert first.status == 503 and json.loads(first.text)["type"] == "/-/errors#unknown-outcome", first.text
        assert first.getheader("Retry-After") is None
        again = program.ask("POST", "/payments", {"name": "1"}, Idempotency_Key='"1"')
        assert again.status == 409, again.text
        assert program.get("/payments").status == 200
        # A COMMIT that an operator cancels has been done, but not by the standby.
        waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        for process in server.sql(waiting).split():
            server.sql(f"SELECT pg_cancel_backend({process})")
        until(lambda: server.sql(waiting) == "")
        kept = program.ask("POST", "/payments", {"name": "1"}, Idempotency_Key='"1"')
        assert kept.status == 503, kept.text
        for process in stopped:
            os.kill(process, signal.SIGCONT)
        answer = until(
            lambda: (a := program.ask("POST", "/payments", {"name": "1"}, Idempotency_Key='"1"')).status == 201 and a)
        assert json.loads(answer.text)["name"] == "1"
        assert server.sql("SELECT count(*) FROM payment WHERE name = '1'") == "1"


@test
def a_commit_that_ends_with_a_warning_is_of_unknown_outcome(servers):
    server = servers.new(None, "synchronous_standby_names = 'none'", "synchronous_commit = local")
    server.sql("ALTER DATABASE library SET synchronous_commit = on")
    answers = []
    with served(server.url(), "--writable") as program:
        writer = threading.Thread(target=lambda: answers.append(program.ask("PATCH", "/shelves/1", {"n": 5})))
        writer.start()
        waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        process = until(lambda: server.sql(waiting))
        server.sql(f"SELECT pg_cancel_backend({process})")
        writer.join()
        assert answers[0].status == 503 and "unknown-outcome" in answers[0].text, answers[0].text
        assert server.sql("SELECT n FROM shelf") == "5"


@test
def kept_keys_cost_no_time_and_expired_ones_are_removed(servers):
    server = servers.new()

    def rate(program):
        count, end = 0, time.monotonic() + 4
        while time.monotonic() < end:
            answer = program.ask("POST", "/payments", {"name": "a"}, Idempotency_Key=f'"{os.urandom(9).hex()}"')
            assert answer.status == 201, answer.text
            count += 1
        return count / 4

    with served(server.url(), "--writable") as program:
        rate(program)
        few = rate(program)
    fill = """INSERT INTO kindred_idempotency (principal, key, fingerprint, time, status)
        SELECT 'p', 'k' || n, '', extract(epoch FROM now())::bigint - {age}, 201 FROM generate_series(1, {count}) n"""
    server.sql(fill.format(age=60, count=100_000))
    server.sql(fill.format(age=90_000, count=5_000).replace("'k'", "'old'"))
    server.sql("ANALYZE kindred_idempotency")
    with served(server.url(), "--writable") as program:
        rate(program)
        many = rate(program)
        until(lambda: server.sql("SELECT count(*) FROM kindred_idempotency WHERE key LIKE 'old%'") == "0")
    print(f"     {few:.0f} writes a second with few keys, {many:.0f} with 100,000")
    assert many > few / 1.4, (few, many)
    conflicts = []
    with served(server.url(), "--writable") as program:
        before = int(server.sql("SELECT xact_rollback FROM pg_stat_database WHERE datname = 'library'"))

        def write():
            answer = program.ask("POST", "/payments", {"name": "a"}, Idempotency_Key=f'"{os.urandom(9).hex()}"')
            conflicts.append(answer.status)

        for thread in work(2, *[write] * 8):
            thread.join()
        time.sleep(1)
        after = int(server.sql("SELECT xact_rollback FROM pg_stat_database WHERE datname = 'library'"))
    assert set(conflicts) == {201}, set(conflicts)
    print(f"     {len(conflicts)} writes of 8 clients, {after - before} transactions rolled back")
    assert after - before < len(conflicts) / 20, (after - before, len(conflicts))


@test
def another_table_of_the_name_is_named(servers):
    server = servers.new()
    server.sql("CREATE TABLE kindred_idempotency (id int PRIMARY KEY)")
    with served(server.url(), "--writable") as program:
        answer = program.ask("POST", "/payments", {"name": "a"}, Idempotency_Key='"a"')
        assert answer.status == 400 and "kindred_idempotency" in answer.text, answer.text
        assert server.sql("SELECT count(*) FROM payment") == "0"


def main():
    failed = 0
    chosen = [one for one in TESTS if all(word in one.__name__ for word in sys.argv[2:])]
    for one in chosen:
        name = one.__name__.replace("_", " ")
        servers = Servers()
        try:
            one(servers)
            print(f"ok   {name}", flush=True)
        except Exception as error:  # Any failure is one of this test.
            failed += 1
            print(f"FAIL {name}: {type(error).__name__} {error}", flush=True)
        finally:
            servers.close()
    print(f"{len(chosen) - failed} of {len(chosen)} passed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
