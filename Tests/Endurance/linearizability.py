"""Checks that the histories of single records are linearizable (Herlihy and Wing, 1990)."""

import http.client
import json
import random
import sqlite3
import threading
import time

from checks import check
from server import Server, make_library

CLIENTS, RECORDS, SECONDS = 32, 8, 6


class Operation:
    """A request on one record: its start and end, what it should do, and its outcome."""

    __slots__ = ("start", "end", "kind", "value", "expected", "outcome")

    def __init__(self, kind, value=None, expected=None):
        self.kind, self.value, self.expected, self.outcome = kind, value, expected, None
        self.start, self.end = time.monotonic(), float("inf")

    def answered(self, outcome):
        self.outcome, self.end = outcome, time.monotonic()

    def apply(self, state):
        """Returns the possible states afterwards, if the outcome fits a record in `state` (None if it doesn't exist)."""
        if self.kind == "read":
            return [state] if self.outcome == state else []
        if self.kind == "put":
            does, after = ("made" if state is None else "done"), self.value
        elif self.kind == "delete":
            does, after = ("absent", None) if state is None else ("done", None)
        elif state is None:
            does, after = "absent", None
        elif self.kind == "patch" or state == self.expected:
            does, after = "done", self.value
        else:
            does, after = "changed", state
        if self.outcome is None:  # it is unknown whether the request was executed
            return [state, after]
        return [after] if does == self.outcome else []


def is_linearizable(history, state):
    """Whether some order of the operations, consistent with their times, explains all outcomes (Wing and Gong, 1993)."""
    operations = sorted(history, key=lambda operation: operation.start)
    count = len(operations)
    seen, stack = set(), [(0, 0, state)]  # the first pending operation, a bit set of later finished ones, the state
    while stack:
        first, done, state = stack.pop()
        while done & 1:
            first, done = first + 1, done >> 1
        if first == count:
            return True
        if (first, done, state) in seen:
            continue
        seen.add((first, done, state))
        # An operation that began after another one ended can't precede it.
        latest = float("inf")
        for place in range(first, count):
            operation = operations[place]
            if operation.start > latest:
                break
            if done >> (place - first) & 1:
                continue
            latest = min(latest, operation.end)
            for after in operation.apply(state):
                stack.append((first, done | 1 << (place - first), after))
    return False


class Client:
    """Reads, changes, deletes and creates records at random, on one connection."""

    def __init__(self, server, number, histories, end):
        self.server, self.number, self.histories, self.end = server, number, histories, end
        self.random, self.next, self.failures = random.Random(number), 0, []
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)

    def send(self, method, record, value=None, tag=None):
        headers = {"If-Match": tag} if tag else {}
        body = None
        if value is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps({"name": value})
        self.connection.request(method, f"/playlists/{record}", body=body, headers=headers)
        response = self.connection.getresponse()
        content = response.read()
        return response.status, response.headers.get("ETag"), content

    def perform(self, operation, method, record, tag=None):
        self.histories[record].append(operation)
        status, tag, content = self.send(method, record, operation.value, tag)
        if operation.kind == "read":
            check(status in (200, 404), f"{status}: {content[:200]}")
            operation.answered(json.loads(content)["name"] if status == 200 else None)
            return tag
        outcomes = {200: "done", 204: "done", 201: "made", 404: "absent", 412: "changed"}
        if status == 503:  # nothing was changed
            self.histories[record].remove(operation)
            return None
        check(status in outcomes, f"{status}: {content[:200]}")
        operation.answered(outcomes[status])
        return tag

    def run(self):
        try:
            while time.monotonic() < self.end:
                record = self.random.randrange(1, RECORDS + 1)
                self.next += 1
                value = f"{self.number}-{self.next}"
                choice = self.random.random()
                if choice < 0.2:
                    self.perform(Operation("read"), "GET", record)
                elif choice < 0.45:
                    self.perform(Operation("patch", value), "PATCH", record)
                elif choice < 0.55:
                    self.perform(Operation("delete"), "DELETE", record)
                elif choice < 0.7:
                    self.perform(Operation("put", value), "PUT", record)
                else:
                    seen = Operation("read")
                    tag = self.perform(seen, "GET", record)
                    if tag:
                        self.perform(Operation("swap", value, seen.outcome), "PATCH", record, tag)
        except AssertionError as failure:
            self.failures.append(failure)
        except (OSError, http.client.HTTPException) as failure:
            if self.server.is_running:
                self.failures.append(failure)


def linearizable_writing(directory):
    """32 clients change, replace, delete and compare eight records: the histories are linearizable."""
    database = directory / "library.sqlite"
    make_library(database, books=100)
    with Server(database, "--writable") as server:
        connection = sqlite3.connect(database)
        connection.execute("DELETE FROM playlistTrack")  # its rows would prevent deleting playlists
        for record in range(1, RECORDS + 1):
            connection.execute("INSERT OR REPLACE INTO playlist (id, name) VALUES (?, ?)", (record, f"start {record}"))
        connection.commit()
        connection.close()
        histories = {record: [] for record in range(1, RECORDS + 1)}
        end = time.monotonic() + SECONDS
        clients = [Client(server, number, histories, end) for number in range(CLIENTS)]
        threads = [threading.Thread(target=client.run) for client in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        failures = [failure for client in clients for failure in client.failures]
        check(not failures, failures[:1])
        for record, history in histories.items():
            check(is_linearizable(history, f"start {record}"), f"record {record}: no order explains {len(history)} answers")
        counts = [len(history) for history in histories.values()]
        print(f"    {sum(counts)} requests on {RECORDS} records, all explained")
