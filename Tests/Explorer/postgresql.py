"""Values of PostgreSQL, edited and filtered as they are shown; left out where PostgreSQL isn't installed."""
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect

from visitor import serving, step

SCHEMA = """
    CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
    CREATE TYPE pair AS (x int, y text);
    CREATE TABLE moods (mood mood PRIMARY KEY);
    INSERT INTO moods VALUES ('sad'), ('ok'), ('happy');
    CREATE TABLE thing (id int PRIMARY KEY, name text, numbers int[], texts text[], mood mood, moods mood[], j jsonb,
      f float8, n numeric(10,2), done bool, day date, at timestamp, zoned timestamptz, p pair);
    INSERT INTO thing VALUES (1, 'One', '{1,2}', '{"a,\\"b",NULL}', 'sad', '{ok,sad}', '{"a": 1.0, "b": ["c"]}', 'NaN',
      12.50, true, '2024-01-02', '2024-01-02 03:04:05', '2024-01-02 03:04:05+00', ROW(1, 'z'));
    COMMENT ON TABLE thing IS 'All <things>';
    COMMENT ON COLUMN thing.mood IS 'How it is "today"';
    CREATE TABLE "a/b" (a text, b bigint, mood mood REFERENCES moods(mood), "constructor" text, PRIMARY KEY (a, b));
    INSERT INTO "a/b" VALUES ('', 9007199254740993, 'ok', 'c'), ('x,y', -9007199254740993, 'sad', NULL);
    """
FILTERED = ["id", "name", "numbers", "texts", "mood", "moods", "j", "f", "n", "done", "day", "at", "zoned"]
EDITED = {"numbers": "[3,4,null]", "texts": '["x","y, z"]', "mood": "happy", "moods": "[]", "j": '{"a":2.50}',
          "f": "1.5", "n": "NaN", "done": "false", "day": "2025-01-01", "at": "2025-01-02T03:04:05",
          "p": '{"x":2,"y":"q"}'}


def programs():
    """The folder of PostgreSQL's programs, or None."""
    found = shutil.which("initdb")
    folders = [*([Path(found).parent] if found else []), *sorted(Path("/usr/lib/postgresql").glob("*/bin"))]
    return next((folder for folder in reversed(folders) if (folder / "psql").exists()), None)


@contextmanager
def cluster(folder):
    """The URL of a database of a server of its own, which is reached by a socket in the folder."""
    # Root may not run the server.
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if user:
        shutil.chown(folder, "postgres")

    def run(name, *arguments, **options):
        subprocess.run([*user, programs() / name, *arguments], check=True, stdout=subprocess.DEVNULL, cwd=folder, **options)
    run("initdb", "-D", "data", "-A", "trust", "-U", "tester", "-E", "UTF8", stderr=subprocess.DEVNULL)
    run("pg_ctl", "-D", "data", "-l", "log", "-w", "-o", f"-k {folder} -c listen_addresses='' -c fsync=off", "start")
    try:
        run("psql", "-h", folder, "-U", "tester", "-d", "postgres", "-q", "-c", SCHEMA)
        yield f"postgres://tester@/postgres?host={folder}"
    finally:
        run("pg_ctl", "-D", "data", "-m", "immediate", "stop")


def shown_whole(page):
    """Waits for the page without a filter, which the address has before it is shown."""
    expect(page.get_by_role("button", name=re.compile("^Remove filter"))).to_have_count(0)


@step
def values_of_postgresql_are_edited_and_filtered_as_they_are_shown(visitor):
    if programs() is None:
        print("     PostgreSQL isn't installed")
        return
    with tempfile.TemporaryDirectory() as folder, cluster(folder) as database, \
            serving(visitor.command, database, "--writable") as visitor.origin:
        page = visitor.open("/things")
        expect(page.get_by_role("rowheader", name="One", exact=True)).to_be_visible()
        heads = page.locator("thead th").evaluate_all("all => all.map(head => head.dataset.title)")

        def cell(column):
            return page.locator("tbody tr").first.locator("> *").nth(heads.index(column))
        for column in FILTERED:
            cell(column).click(button="right")
            item = page.get_by_role("menuitem").first
            expression = item.inner_text()
            assert expression.startswith(f"{column}="), expression
            item.click()
            visitor.address(r"/things\?filter=")
            expect(cell(column)).to_be_visible()
            page.go_back()
            shown_whole(page)
        for column, text in EDITED.items():
            cell(column).click()
            page.keyboard.press("F2")
            field = page.locator(".cell-editor :is(input, textarea, select)")
            field.wait_for()
            if column in ("mood", "done"):
                field.select_option(text)
            else:
                field.fill(text)
            page.keyboard.press("Enter")
        visitor.check()
        changes = page.get_by_role("region", name="Changes")
        changes.get_by_role("button", name="Apply").click()
        expect(changes).to_be_hidden()
        expect(cell("n")).to_have_text("NaN")
        record = visitor.json("/things/1")
        assert record | {"numbers": [3, 4, None], "texts": ["x", "y, z"], "mood": "happy", "moods": [], "j": {"a": 2.5},
                         "f": 1.5, "n": None, "done": False, "day": "2025-01-01", "at": "2025-01-02T03:04:05",
                         "p": {"x": 2, "y": "q"}} == record, record


@step
def names_keys_and_comments_of_postgresql(visitor):
    if programs() is None:
        return
    with tempfile.TemporaryDirectory() as folder, cluster(folder) as database, \
            serving(visitor.command, database, "--writable") as visitor.origin:
        page = visitor.open("/")
        expect(page.get_by_role("rowheader").filter(has_text="All <things>")).to_be_visible()
        page = visitor.open("/things")
        expect(page.get_by_role("columnheader", name="mood", exact=True)).to_have_attribute("title", 'How it is "today"')
        link = next(one["link"] for one in visitor.json("/-/schema")["resources"] if one["table"] == "a/b")
        page = visitor.open(link)
        expect(page.get_by_role("gridcell", name="9007199254740993", exact=True)).to_be_visible()
        # A label that is an enum can be searched, and names are names.
        page.get_by_role("gridcell", name="c", exact=True).click()
        page.keyboard.press("F2")
        page.locator(".cell-editor input").fill("d")
        page.keyboard.press("Enter")
        row = page.get_by_role("row").filter(has_text="-9007199254740993")
        row.get_by_text("sad", exact=True).first.focus()
        page.keyboard.press("F2")
        page.get_by_role("combobox", name="mood").fill("hap")
        expect(page.get_by_role("listbox", name="moods").get_by_role("option").first).to_contain_text("happy")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        changes = page.get_by_role("region", name="Changes")
        changes.get_by_role("button", name="Apply 2 changes").click()
        expect(changes).to_be_hidden()
        records = visitor.json(link)
        assert [(one["mood"], one["constructor"]) for one in records] == [("ok", "d"), ("happy", None)], records
        # Top values filter by what the column is compared with.
        page = visitor.open("/things")
        for column, text in (("numbers", "[1,2]"), ("n", "12.50")):
            page.get_by_role("button", name=f"Menu of {column}", exact=True).click()
            page.get_by_role("menuitem", name="Top values").click()
            facet = page.get_by_role("dialog", name=f"Top values of {column}")
            facet.get_by_role("button", name=text, exact=True).click()
            visitor.address(r"/things\?filter=")
            expect(page.get_by_role("rowheader", name="One", exact=True)).to_be_visible()
            page.go_back()
            shown_whole(page)
