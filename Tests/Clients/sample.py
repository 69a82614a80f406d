"""The Python client of the sample library at work. The argument is the server."""
import asyncio
import math
import sys
from collections.abc import Callable
from typing import Any, assert_type

import httpx
from kindred import AsyncClient, Author, Book, Client, Page, Problem, expression

api = Client(sys.argv[1])


def raised(kind: type[Exception], body: Callable[[], object]) -> Any:
    try:
        value = body()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}, but {value}")


class Counted(Author):
    n: int


# Trees, conditions, and a record type with an annotation.
authors = api.authors.of(Counted).fetch_all(
    annotate={"n": "books.count"}, sort=["-n", "id"], limit=2, include={"books": {"fields": ["title"], "limit": 1}, "country": {}})
assert_type(authors, list[Counted])
assert authors[0]["n"] >= authors[1]["n"] and len(authors[0]["books"]) == 1, authors
assert api.authors.fetch_all(where={"name": "x' or 'a'='a"}) == []
assert api.books.fetch_count(filter=expression("title = ?", "x' or 'a'='a")) == 0

# Pages, and all records, of a request that is longer than a URL, too.
page = api.books.fetch_page(limit=4, sort="id", count=True)
assert_type(page, Page[Book])
assert page.next is not None and page.total is not None and page.total > 4
following = api.books.fetch_page(limit=4, sort="id", after=page.next)
assert following.records[0]["id"] > page.records[-1]["id"]
assert [b["id"] for b in api.books.records(where={"id": list(range(1, 4000))}, limit=2, fields=["id"])][:3] == [1, 2, 3]

# Nothing that is written is left out.
for key in (None, {}, math.nan, {"id": None}):
    bad: Any = key
    raised(ValueError, lambda: api.books.delete(bad))
raised(ValueError, lambda: api.books.delete_all(where={"id": [1, None]}))  # type: ignore[list-item]
raised(ValueError, lambda: api.books.etag(api.books.fetch_all(limit=1)[0]))

# Writes, conditions, a batch, an import.
author = api.authors.create({"name": "Colette", "books": [{"title": "Gigi", "kind": "novel"}]}, include={"books": {"fields": ["title"]}})
assert [book["title"] for book in author["books"]] == ["Gigi"]
whole = api.authors.fetch_one(author["id"])
api.authors.update(author["id"], {"birthYear": 1873}, if_match=api.authors.etag(whole))
assert raised(Problem, lambda: api.authors.update(author["id"], {"birthYear": 1}, if_match=api.authors.etag(whole))).status == 412
renamed, books = api.batch([
    api.authors.request.update(author["id"], {"name": "Sidonie"}), api.books.request.fetch_all(where={"authorId": author["id"]})])
assert renamed["name"] == "Sidonie" and len(books) == 1
api.books.delete_all(where={"authorId": author["id"]})
api.authors.delete(author["id"], if_match=api.authors.etag(renamed))
assert api.authors.import_([{"name": f"imported {number}"} for number in range(3)]) == 3
api.authors.delete_all(filter=expression("name like ?", "imported %"))
error = raised(Problem, lambda: api.authors.fetch_all(filter="nmae = 'x'"))
assert (error.status, error.code, error.parameter) == (400, "unknown-column", "filter") and "name" in error.suggestions

# A data frame keeps every value as it is.
frame = api.books.to_dataframe(fields=["title", "year"], include={"author": {"fields": ["name"]}, "reviews": {"values": "rating"}}, sort="id")
assert list(frame.columns) == ["title", "year", "author.name", "reviews"], frame.columns
assert len(frame) == api.books.fetch_count() and str(frame["year"].dtype) == "Int64"


async def asynchronous() -> None:
    async with AsyncClient(sys.argv[1]) as other:
        assert [b["id"] async for b in other.books.records(limit=2, fields=["id"])][:3] == [1, 2, 3]
        async for rows in other.books.live(where={"id": 1}, fields=["title"]):
            assert rows[0]["title"]
            break


asyncio.run(asynchronous())

# What no server says is a problem, and a read is tried again.
answers = iter([httpx.Response(503), httpx.Response(200, text="<html>")])
other = Client("http://127.0.0.1:1", http=httpx.Client(transport=httpx.MockTransport(lambda request: next(answers))))
assert raised(Problem, other.books.fetch_all).code == "unexpected-answer"
