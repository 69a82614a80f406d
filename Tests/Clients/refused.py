"""What mypy refuses: a line that it accepted would have an unused comment, which is an error."""
from kindred import Client, NewBook, expression

api = Client("http://127.0.0.1:1")
api.autors.fetch_all()  # type: ignore[attr-defined]
api.authors.fetch_all(flter="id > 1")  # type: ignore[call-arg]
api.authors.fetch_all(fields=["nmae"])  # type: ignore[list-item]
api.authors.fetch_all(where={"nmae": "x"})  # type: ignore[typeddict-unknown-key]
api.authors.fetch_all(where={"name": 1})  # type: ignore[typeddict-item]
api.authors.fetch_all(include={"boks": {}})  # type: ignore[typeddict-unknown-key]
api.authors.fetch_all(include={"books": {"fields": ["titel"]}})  # type: ignore[list-item]
api.books.fetch_all(include={"author": {"limit": 1}})  # type: ignore[typeddict-unknown-key]
api.books.fetch_all()[0]["author"]["name"]  # type: ignore[index]
api.books.fetch_one("1")  # type: ignore[arg-type]
api.books.create({"authorId": 1})  # type: ignore[typeddict-item]
api.authors.create({"name": "x", "books": [{"title": "x", "yaer": 1}]})  # type: ignore[typeddict-unknown-key]
api.books.update(1, {"titel": "x"})  # type: ignore[typeddict-unknown-key]
api.books.update(1, {"title": "x"}, if_match=None)  # type: ignore[arg-type]
expression("year > ?", object())  # type: ignore[arg-type]
draft: NewBook = {"authorId": 1, "title": 5}  # type: ignore[typeddict-item]
