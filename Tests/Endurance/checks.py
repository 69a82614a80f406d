"""Checks of the answers of a server in trouble."""

import json


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def is_fine(server):
    status, _, body = server.get("/books?limit=2&include=author")
    check(status == 200 and len(json.loads(body)) == 2, f"{status}: {body[:200]}")
    return True


def check_unavailable(answer):
    status, headers, body = answer
    check(status == 503, f"{status} instead of 503: {body[:300]}")
    check(headers["Retry-After"], "no Retry-After")
    check(headers["Content-Type"] == "application/problem+json", headers["Content-Type"])
    check(b"sqlite" not in body.lower(), f"tells too much: {body}")
