"""Requests of every kind, as the bytes that a client sends, and clients that send many of them at once."""

import contextlib
import json
import socket

MEGABYTE = (1 << 20) - 4096


class Request:
    """A request of one kind; `number` makes it another request of the same shape, so that no cached answer serves it."""

    def __init__(self, name, method, target, content=None, type="application/json", **headers):
        self.name, self.method, self.target, self.content, self.type = name, method, target, content, type
        self.headers = {key.replace("_", "-"): value for key, value in headers.items()}

    def bytes(self, number=0):
        target = self.target.replace("NUMBER", str(number))
        head = f"{self.method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        content = b""
        if self.content is not None:
            content = self.content.replace(b"NUMBER", str(number).encode())
            head += f"Content-Type: {self.type}\r\nContent-Length: {len(content)}\r\n"
        head += "".join(f"{key}: {value}\r\n" for key, value in self.headers.items())
        return head.encode() + b"\r\n" + content

    @property
    def end(self):
        """The last bytes of an answer that the server doesn't end: those of its first event."""
        return b"\n\n\r\n" if self.headers.get("Accept") == "text/event-stream" else None


def array(record, length, last=None):
    """A JSON array of records of about `length` bytes."""
    count = length // (len(record) + 1) - 1
    return ("[" + ",".join([record] * count + ([last] if last else [])) + "]").encode()


def call(tool, arguments):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})


TREE = '{"name":"x","books":[{"title":"y","reviews":[{"rating":1},{"rating":2}]}]}'
UNWRITTEN = {"Prefer": "tx=rollback"}


def batch(length):
    """A batch that writes arrays of records."""
    part = '{"method":"POST","url":"/authors","body":%s}' % array('{"name":"x"}', length // 40).decode()
    return array(part, length)


def message(length):
    """A message of the Model Context Protocol that writes records."""
    body = json.loads(array('{"name":"x"}', length))
    arguments = {"method": "POST", "path": "/authors", "body": body, "headers": UNWRITTEN}
    return call("write", arguments).replace(" ", "").encode()


def question(length):
    """The content of a QUERY, with a long list of values."""
    values = ",".join(str(number) for number in range(length // 7))
    return f"limit=1&filter=id>NUMBER and id in ({values})".replace(" ", "%20").encode()


# Whatever is refused at its last record has been read to its end.
def kinds(length):
    """Requests of every kind; contents have about `length` bytes."""
    return [
        Request("JSON", "GET", "/books?include=author.country,reviews&limit=300&filter=id%3ENUMBER"),
        Request("NDJSON", "GET", "/books?filter=id%3ENUMBER", Accept="application/x-ndjson"),
        Request("CSV", "GET", "/books?filter=id%3ENUMBER", Accept="text/csv"),
        Request("rows", "GET", "/books?filter=id%3ENUMBER", Accept="application/x-ndjson;profile=rows"),
        Request("a page of the explorer", "GET", "/books?include=author&limit=200&filter=id%3ENUMBER", Accept="text/html"),
        Request("live results", "GET", "/books?limit=1000&filter=id%3ENUMBER", Accept="text/event-stream"),
        Request("an array", "POST", "/authors", array('{"name":"x"}', length), **UNWRITTEN),
        Request("a refused array", "POST", "/authors", array('{"name":"x"}', length, '{"nope":1}')),
        Request("trees", "POST", "/authors", array(TREE, length // 4), **UNWRITTEN),
        Request("refused trees", "POST", "/authors", array(TREE, length, '{"nope":1}')),
        Request("an import of NDJSON", "POST", "/authors", b'{"name":"x"}\n' * (length // 13), "application/x-ndjson", **UNWRITTEN),
        Request("an import of CSV", "POST", "/authors", b"name\n" + b"some name\n" * (length // 10), "text/csv", **UNWRITTEN),
        Request("a batch", "POST", "/-/batch", batch(length), **UNWRITTEN),
        Request("a message that writes", "POST", "/-/mcp", message(length)),
        Request(
            "a message that reads", "POST", "/-/mcp",
            call("fetch", {"path": "/books", "parameters": {"limit": 500, "filter": "id>NUMBER"}}).encode(),
        ),
        Request("QUERY", "QUERY", "/books", question(length), "application/x-www-form-urlencoded"),
        Request("a description", "GET", "/-/describe?url=/books%3Finclude%3Dauthor.country%26filter%3Did%253ENUMBER"),
        Request("completions", "GET", "/-/complete?url=/books%3Ffilter%3Dau&position=16"),
        Request("the OpenAPI document", "GET", "/-/openapi.json?resource=books"),
    ]


# Contents of a megabyte that take much memory when they are read.
def heavy():
    empty = b"[" + b",".join([b"{}"] * (MEGABYTE // 3)) + b"]"
    # As many as one request may have.
    most = b"[" + b",".join([b"{}"] * 100_000) + b"]"
    form = "application/x-www-form-urlencoded"
    part = '{"method":"POST","url":"/authors","body":[%s]}' % ",".join(["{}"] * 3300)
    return [
        Request("empty records", "POST", "/reviews", empty, **UNWRITTEN),
        Request("as many empty records as may be", "POST", "/notes", most, **UNWRITTEN),
        Request("records", "POST", "/notes", array('{"a":1,"b":2,"c":"x"}', MEGABYTE), **UNWRITTEN),
        Request("trees", "POST", "/authors", array(TREE, MEGABYTE), **UNWRITTEN),
        Request("trees of empty records", "POST", "/authors", array('{"name":"x","books":[{},{},{},{}]}', MEGABYTE)),
        Request("a long value", "POST", "/notes", b'{"c":"' + b"x" * MEGABYTE + b'"}', **UNWRITTEN),
        Request("long arrays in a value", "POST", "/notes", b'{"d":[' + b",".join([b"[]"] * (MEGABYTE // 3)) + b"]}", **UNWRITTEN),
        Request("long arrays for a column of text", "POST", "/notes", b'{"c":[' + b",".join([b"0"] * (MEGABYTE // 2)) + b"]}"),
        Request("many members", "POST", "/notes", b"{" + b",".join(b'"%d":0' % n for n in range(MEGABYTE // 11)) + b"}"),
        Request("an import of NDJSON", "POST", "/notes", b"{}\n" * (MEGABYTE // 3), "application/x-ndjson", **UNWRITTEN),
        Request("an import of CSV", "POST", "/notes", b"a,b\n" + b"1,2\n" * (MEGABYTE // 4), "text/csv", **UNWRITTEN),
        Request("a batch", "POST", "/-/batch", array(part, MEGABYTE), **UNWRITTEN),
        Request("a batch of nothing", "POST", "/-/batch", empty),
        Request("a message that writes", "POST", "/-/mcp", call(
            "write", {"method": "POST", "path": "/notes", "headers": UNWRITTEN, "body": [{}] * (MEGABYTE // 3 - 100)},
        ).replace(" ", "").encode()),
        Request("a message of nothing", "POST", "/-/mcp", empty),
        Request("QUERY with a list", "QUERY", "/books", question(MEGABYTE), form),
        Request("QUERY with conditions", "QUERY", "/books", b"&".join([b"filter=id>1"] * (MEGABYTE // 12)), form),
        Request("QUERY with names", "QUERY", "/books", b"fields=" + b",".join([b"id"] * (MEGABYTE // 3)), form),
        Request("QUERY of ampersands", "QUERY", "/books", b"&" * MEGABYTE, form),
    ]


@contextlib.contextmanager
def sent(server, requests, size=1 << 18):
    """Connections over which requests have been sent, side by side, as far as the server takes them."""
    connections = [server.connect() for _ in requests]
    rest = {connection: memoryview(request) for connection, request in zip(connections, requests)}
    for connection in connections:
        connection.setblocking(False)
    try:
        yield Sent(connections, rest, size)
    finally:
        for connection in connections:
            connection.close()


class Sent:
    """Sends what is left and receives the answers."""

    def __init__(self, connections, rest, size):
        self.connections, self.rest, self.size = connections, rest, size
        self.heads = {connection: b"" for connection in connections}
        self.tails = {connection: b"" for connection in connections}
        self.open = set(connections)

    def go_on(self, end=None):
        """Sends and receives what can be sent and received without waiting; returns whether there was anything.

        An answer is complete when the server closes the connection, or with the bytes `end`.
        """
        moved = False
        for connection in list(self.open):
            if self.rest[connection]:
                try:
                    count = connection.send(self.rest[connection][: self.size])
                    self.rest[connection] = self.rest[connection][count:]
                    moved = True
                except BlockingIOError:
                    pass
                except OSError:
                    # The server has refused the rest.
                    self.rest[connection] = memoryview(b"")
            try:
                part = connection.recv(1 << 18)
                moved = True
                self.heads[connection] = (self.heads[connection] + part)[:16]
                self.tails[connection] = (self.tails[connection] + part)[-16:]
                if not part or end and self.tails[connection].endswith(end):
                    self.open.discard(connection)
            except BlockingIOError:
                pass
            except OSError:
                self.open.discard(connection)
        return moved

    @property
    def statuses(self):
        return [int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else 0 for answer in self.heads.values()]
