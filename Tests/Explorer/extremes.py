"""What pages do with values, names and numbers of records that nobody expects, on narrow screens, and without a server."""
import os
import re
import sqlite3
import tempfile
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect

from visitor import serving, step

NAMES = ["it's \"quoted\"", "<b>bold</b>&amp;", "🍎 👩‍👩‍👧", "اسم عربي", "a.b,c:d", "100%", "a+b&c=d#e?f/g", " space ", "*!", "line\nbreak",
         "select", "limit", "sort", "..", "back\\slash", "x" * 120]
KEYS = ["a", "..", ".", "", "a/b", "a,b", "a=b", "🍎", "it's", "100%", "?x", "#x", "<b>", "\u202eabc", " ", "a+b", "a&b", "line\nbreak"]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def awkward(db):
    """Names and keys that mean something elsewhere, and two tables that refer to one another by them."""
    columns = ", ".join(f"{quoted(name)} TEXT" for name in NAMES)
    db.execute(f"CREATE TABLE {quoted(NAMES[0])} (code TEXT PRIMARY KEY NOT NULL, name TEXT, {columns})")
    db.execute(f"CREATE TABLE child (id INTEGER PRIMARY KEY, {quoted('the <i>')} TEXT REFERENCES {quoted(NAMES[0])}(code))")
    for number, key in enumerate(KEYS):
        values = [None if (number + place) % 3 == 0 else "" if (number + place) % 3 == 1 else name
                  for place, name in enumerate(NAMES)]
        marks = ",".join("?" * (len(NAMES) + 2))
        db.execute(f"INSERT INTO {quoted(NAMES[0])} VALUES ({marks})", [key, None if number % 2 else f"<b>{key}</b>", *values])
        db.execute("INSERT INTO child VALUES (?, ?)", [number + 1, key])


def large(db):
    """Values of ten megabytes, and a table of 300 columns."""
    db.execute("CREATE TABLE doc (id INTEGER PRIMARY KEY, name TEXT, body TEXT, data BLOB, document JSON)")
    db.execute("INSERT INTO doc VALUES (1, 'text', ?, NULL, NULL)", ["<b>long</b> " * 900_000])
    db.execute("INSERT INTO doc VALUES (2, 'bytes', NULL, ?, NULL)", [os.urandom(10_000_000)])
    db.execute("INSERT INTO doc VALUES (3, NULL, '[1,{\"a\":null}]', x'00', '{\"a\":[1]}')")
    kinds = ["TEXT", "INT", "BLOB", "JSON", "BOOLEAN"]
    columns = ", ".join(f"c{number} {kinds[number % 5]}" for number in range(299))
    db.execute(f"CREATE TABLE wide (id INTEGER PRIMARY KEY, {columns})")
    for number in range(120):
        row = [None if (number + place) % 4 == 0 else place for place in range(299)]
        db.execute(f"INSERT INTO wide VALUES ({','.join('?' * 300)})", [number + 1, *row])


@contextmanager
def database(visitor, fill):
    """Serves a database of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "extremes.db")
        with sqlite3.connect(path) as db:
            fill(db)
        db.close()
        with serving(visitor.command, str(path)) as visitor.origin:
            yield


def views(visitor):
    page = visitor.page
    for name in ("JSON", "Plan", "Diagram", "Code", "Table"):
        page.get_by_role("tab", name=name).click()
        expect(page.get_by_role("tabpanel", name=name)).to_be_visible()
    assert not visitor.problems, visitor.problems


@step
def names_and_keys_that_mean_something_elsewhere(visitor):
    with database(visitor, awkward):
        resource = visitor.json("/")["resources"][0]
        page = visitor.open(resource["link"])
        views(visitor)
        expect(page.get_by_role("row")).to_have_count(len(KEYS) + 1)
        # Each record is found by its own link, and each child below its parent.
        links = page.locator("tbody th a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
        assert len(links) == len(KEYS), links
        shown = {visitor.json(link)["code"] for link in links}
        assert shown == set(KEYS), set(KEYS) - shown
        rows = page.get_by_role("row")
        for number in range(1, len(KEYS) + 1):
            rows.nth(number).get_by_role("button").first.evaluate("button => button.click()")
            page.wait_for_function(
                "count => document.querySelectorAll('tr.below [role=treegrid] tbody tr').length === count", arg=number)
            rows = page.locator("main table >> nth=0").locator("xpath=./*/tr[not(contains(@class,'below'))]")
        # A click on any header sorts by the column.
        for name in NAMES:
            page = visitor.open(resource["link"] + "?limit=3")
            page.get_by_role("columnheader").get_by_role("button", name=re.sub(r"\s+", " ", name), exact=True).first.click()
            page.wait_for_function("() => location.search.includes('sort=')")
            expect(page.get_by_role("treegrid").first).not_to_have_attribute("aria-busy", "true")
            expect(page.get_by_role("alert")).to_be_hidden()


@step
def long_values_are_shown_by_their_beginning(visitor):
    with database(visitor, large):
        sizes = []
        visitor.page.on("response", lambda answer: answer.url.endswith("/docs") and sizes.append(len(answer.body())))
        page = visitor.open("/docs")
        expect(page.get_by_role("row")).to_have_count(4)
        assert sizes and sizes[0] < 30_000, sizes
        cell = page.get_by_role("gridcell", name="<b>long</b>")
        assert cell.get_by_role("link", name="all of it").get_attribute("href") == "/docs/1/body"
        cell.get_by_role("link").focus()
        page.keyboard.press("Shift+F10")
        expect(page.get_by_role("menuitem").first).to_have_text("body is null")
        page.keyboard.press("Escape")
        visitor.check()
        page = visitor.open("/wides")
        expect(page.locator("th[data-column]")).to_have_count(300)
        # Few rows at first, and all of them in the end.
        assert page.locator("main *").count() < 25_000
        for _ in range(60):
            page.mouse.move(600, 400)
            page.mouse.wheel(0, 2000)
            page.wait_for_timeout(100)
            if page.get_by_role("rowheader", name="120", exact=True).count():
                break
        expect(page.get_by_role("rowheader", name="120", exact=True)).to_be_visible()
        expect(page.get_by_role("treegrid")).to_have_attribute("aria-rowcount", "120")
        page.keyboard.press("Tab")
        views(visitor)


@step
def rows_are_copied(visitor):
    visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = visitor.open("/books?fields=id,title,price&limit=2")
    for form, beginning in [("JSON", '[{"id":1,"title":"Moby-Dick"'), ("CSV", "id,title,price\r\n1,Moby-Dick,"),
                            ("Markdown", "| id | title | price |\n| ---: | --- | ---: |\n| 1 | Moby-Dick |")]:
        copies = page.get_by_role("button", name="Copy rows")
        copies.click()
        page.get_by_role("menuitem", name=form, exact=True).click()
        expect(copies).to_have_attribute("data-done", "")
        text = page.evaluate("navigator.clipboard.readText()")
        assert text.replace("\r\n", "\n").startswith(beginning.replace("\r\n", "\n")), text
        expect(copies).not_to_have_attribute("data-done", "")


@step
def narrow_screens_hold_every_page(visitor):
    page = visitor.page
    page.set_viewport_size({"width": 390, "height": 780})
    for target in ("/", "/authors", "/authors/3?include=books.reviews", "/books?filter=nmae=1",
                   "/books?fields=kind,n:count()&group=kind", "/authors#view=plan", "/authors#view=code", "/authors#view=json"):
        visitor.open(target)
        expect(page.get_by_role("combobox", name="Request URL")).to_be_visible()
        page.wait_for_load_state("networkidle")
        beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert beyond <= 0, f"{target} is {beyond} px too wide"
        visitor.check()
    visitor.open("/authors?limit=8")
    visitor.picture("narrow")


@step
def a_server_that_is_gone_is_told_in_place(visitor):
    page = visitor.open("/books?limit=3")
    expect(page.get_by_role("row")).to_have_count(4)
    page.route("**/*", lambda route: route.abort())
    page.get_by_role("columnheader").get_by_role("button", name="year", exact=True).click()
    alert = page.get_by_role("tabpanel").get_by_role("alert").first
    expect(alert).to_contain_text("The server doesn't respond.")
    expect(page.get_by_role("row")).to_have_count(4)
    page.get_by_role("button", name=re.compile("^reviews")).first.click()
    visitor.check()
    expect(alert.get_by_role("button", name="Try again")).to_be_visible()
    page.unroute("**/*")
    # It is tried again, also without a click.
    visitor.address(r"/books\?limit=3&sort=year$")
    expect(alert).to_be_hidden()
