#!/usr/bin/env python3
"""Tenants under access rules for some minutes: none ever sees or changes what is another's, and memory stays flat.

    Tests/Endurance/tenants.py [MINUTES]

Each tenant reads, searches, writes trees, batches and listens with a token of its own, and tries what is another's, by
key, by reference and by a repeated key of idempotence. Meanwhile another process moves projects from tenant to tenant.
Every record in every answer must be the tenant's own. Ends with an error otherwise.
"""

import base64
import hashlib
import hmac
import http.client
import json
import pathlib
import random
import sqlite3
import sys
import tempfile
import threading
import time

from server import Server
from soak import Samples

TENANTS = 12
SECRET = "a-secret-of-thirty-two-bytes-or-more"
SCHEMA = """
    CREATE TABLE company (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE project (
      id INTEGER PRIMARY KEY, companyId INTEGER NOT NULL REFERENCES company(id), name TEXT NOT NULL);
    CREATE TABLE task (
      id INTEGER PRIMARY KEY, projectId INTEGER NOT NULL REFERENCES project(id) ON DELETE CASCADE, title TEXT);
    CREATE INDEX projectOfCompany ON project(companyId);
    CREATE INDEX taskOfProject ON task(projectId);
"""
MODEL = """
resources:
  companies: { access: { read: { roles: [member], rows: id = auth.company } } }
  projects:
    access:
      read: { roles: [member], rows: companyId = auth.company }
      write: { roles: [member], rows: companyId = auth.company }
  tasks:
    access:
      read: { roles: [member], rows: project.companyId = auth.company }
      write: { roles: [member], rows: project.companyId = auth.company }
"""
CONFIGURATION = f"access:\n  jwt: {{ algorithm: HS256, secret: {SECRET} }}\n  operations: [operator]\n"


def token(claims):
    def encode(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    signed = encode(b'{"alg":"HS256"}') + "." + encode(json.dumps(claims).encode())
    return signed + "." + encode(hmac.new(SECRET.encode(), signed.encode(), hashlib.sha256).digest())


class Tenant:
    """A client of one company, which checks every answer."""

    def __init__(self, company, server, is_over):
        self.company, self.server, self.is_over = company, server, is_over
        self.headers = {"Authorization": "Bearer " + token({"sub": company, "company": company, "roles": ["member"]})}
        self.counts = {"answers": 0, "writes": 0, "refused": 0, "events": 0}

    def send(self, method, target, document=None, expected=(200,), **headers):
        status, fields, body = self.server.send(method, target, document, {**self.headers, **headers})
        self.counts["answers"] += 1
        # 503 and 429 are what a busy server may say.
        assert status in (*expected, 429, 503), f"{method} {target} {document}: {status} {body[:300]}"
        return status, fields, json.loads(body) if body and status < 300 else None

    def check(self, value):
        """Every project is the tenant's own, at whatever depth."""
        if isinstance(value, list):
            for element in value:
                self.check(element)
        elif isinstance(value, dict):
            assert value.get("companyId", self.company) == self.company, f"{self.company} sees {value}"
            for member in value.values():
                self.check(member)

    def read(self):
        while not self.is_over.is_set():
            for target in (
                "/projects?include=tasks&limit=50", "/tasks?include=project.company&sort=project.name,-id&limit=50",
                "/companies?include=projects.tasks&annotate=projectCount", "/tasks?filter=project.name like 'p%25'",
                "/projects?filter=tasks.count>1&sort=json_extract(name,'$')&limit=5", "/projects?explain=true",
            ):
                status, _, answer = self.send("GET", target, expected=(200, 400, 403))
                assert "explain" not in target or status != 200, "the statements are the operator's"
                self.check(answer)
            status, fields, answer = self.send("GET", "/projects?count=true&limit=1000&fields=id,companyId")
            assert status != 200 or int(fields["X-Total-Count"]) == len(answer), "the count tells of more"

    def write(self):
        while not self.is_over.is_set():
            tree = {"companyId": self.company, "name": f"p{self.company}", "tasks": [{"title": "a"}, {"title": "b"}]}
            status, _, project = self.send("POST", "/projects?include=tasks", tree, (201,))
            if status != 201 or project is None:
                continue
            self.check(project)
            self.counts["writes"] += 1
            place = f"/projects/{project['id']}"
            # It may have been moved to another tenant meanwhile.
            self.send("PATCH", place, {"name": "q"}, (200, 404))
            self.send("POST", "/-/batch", [
                {"method": "POST", "url": "/tasks", "body": {"projectId": project["id"], "title": "c"}},
                {"method": "GET", "url": "/tasks?limit=3"}], (200, 403, 409))
            self.send("PATCH", f"/tasks?filter=projectId={project['id']}", {"title": "d"}, (200,))
            if random.random() < 0.9:
                self.send("DELETE", place, None, (204, 404))

    def trespass(self, others):
        """Tries what is another's: all of it is as if it were absent."""
        key = {"Idempotency-Key": '"the same for all"'}
        while not self.is_over.is_set():
            other = random.choice(others)
            company = random.choice([n for n in range(1, TENANTS + 1) if n != self.company])
            status, _, answer = self.send("GET", f"/projects/{other}?include=tasks", expected=(200, 404))
            self.check(answer)
            self.send("POST", "/projects", {"companyId": company, "name": "x"}, (403,))
            status, _, answer = self.send("POST", "/tasks", {"projectId": other, "title": "x"}, (201, 403, 409))
            self.check(answer)
            self.send("PATCH", f"/projects/{other}", {"companyId": company}, (403, 404))
            status, _, answer = self.send(
                "POST", "/projects", {"companyId": self.company, "name": "once"}, (201, 409), **key)
            self.check(answer)
            self.counts["refused"] += 1

    def listen(self):
        while not self.is_over.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
            connection.request(
                "GET", "/projects?include=tasks&limit=20", headers={**self.headers, "Accept": "text/event-stream"})
            response = connection.getresponse()
            end = time.monotonic() + random.uniform(1, 10)
            while response.status == 200 and time.monotonic() < end and not self.is_over.is_set():
                line = response.readline()
                if line.startswith(b"data: "):
                    self.check(json.loads(line[6:]))
                    self.counts["events"] += 1
            connection.close()


def move(database, is_over):
    """Another process, which moves projects from tenant to tenant."""
    connection = sqlite3.connect(database, timeout=30, isolation_level=None)
    while not is_over.wait(0.1):
        connection.execute(
            "UPDATE project SET companyId = ? WHERE id = (SELECT id FROM project ORDER BY random() LIMIT 1)",
            (random.randint(1, TENANTS),))
    connection.close()


def endure(server, database, seconds):
    is_over, failures = threading.Event(), []
    with sqlite3.connect(database) as connection:
        others = [row[0] for row in connection.execute("SELECT id FROM project LIMIT 200")]
    tenants = [Tenant(company, server, is_over) for company in range(1, TENANTS + 1)]

    def run(task, *arguments):
        try:
            task(*arguments)
        except Exception as failure:
            failures.append(f"{type(failure).__name__}: {failure}")
            is_over.set()

    tasks = [(move, database, is_over)]
    for tenant in tenants:
        tasks += [(tenant.read,), (tenant.write,), (tenant.listen,), (tenant.trespass, others)]
    threads = [threading.Thread(target=run, args=task) for task in tasks]
    for thread in threads:
        thread.start()
    samples, start = Samples("rules", server), time.monotonic()
    while time.monotonic() - start < seconds and not is_over.wait(min(5, seconds / 30)):
        samples.take(time.monotonic() - start)
    is_over.set()
    for thread in threads:
        thread.join()
    print({name: sum(tenant.counts[name] for tenant in tenants) for name in tenants[0].counts}, *failures, sep="\n")
    return not failures and samples.are_flat and server.end() == 0


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        database = directory / "tenants.sqlite"
        with sqlite3.connect(database) as connection:
            connection.executescript(SCHEMA)
            for company in range(1, TENANTS + 1):
                connection.execute("INSERT INTO company VALUES (?, ?)", (company, f"c{company}"))
            for project in range(1, 601):
                connection.execute("INSERT INTO project VALUES (?, ?, '1')", (project, 1 + project % TENANTS))
                connection.execute("INSERT INTO task(projectId, title) VALUES (?, 't')", (project,))
        (directory / "model.yaml").write_text(MODEL)
        (directory / "kindred.yaml").write_text(CONFIGURATION)
        configuration = ("--config", str(directory / "kindred.yaml"), "--model", str(directory / "model.yaml"))
        with Server(
            database, "--writable", "--max-connections-per-client", "0", "--no-log-requests", *configuration
        ) as server:
            is_good = endure(server, database, minutes * 60)
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
