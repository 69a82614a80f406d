"""What readers and editors look for first."""
import re
import sqlite3
import tempfile
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect

from visitor import large, serving, step


@step
def the_number_of_records_stands_beside_the_table(visitor):
    with tempfile.TemporaryDirectory() as folder, large(folder, 12_345) as database, \
            serving(visitor.command, database) as visitor.origin:
        page = visitor.open("/items?limit=20")
        expect(page.get_by_text("12,345 records", exact=True)).to_be_visible()
        page.goto(visitor.origin + "/items?filter=id<3")
        expect(page.get_by_text("2 records", exact=True)).to_be_visible()
        page.goto(visitor.origin + "/")
        expect(page.get_by_text("12,345 records", exact=True)).to_be_visible()


@step
def a_table_is_searched(visitor):
    page = visitor.open("/books")
    page.get_by_role("searchbox", name="Search").fill("sea")
    page.keyboard.press("Enter")
    visitor.address(r"/books\?search=sea$")
    expect(page.get_by_role("rowheader").first).to_contain_text(re.compile("sea", re.I))
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("sea")
    page.goto(visitor.origin + "/authors")
    expect(page.get_by_role("rowheader").first).to_be_visible()
    expect(page.get_by_role("searchbox", name="Search")).to_have_count(0)


@step
def a_filter_is_built_from_a_column_an_operator_and_a_value(visitor):
    page = visitor.open("/books?sort=title")
    page.get_by_role("button", name="Filter", exact=True).click()
    dialog = page.get_by_role("dialog", name="Filter")
    dialog.get_by_role("combobox", name="Column").select_option("year")
    dialog.get_by_role("combobox", name="Operator").select_option("between")
    dialog.get_by_label("Value").fill("1850")
    dialog.get_by_label("To", exact=True).fill("1860")
    visitor.picture("filter")
    visitor.check()
    dialog.get_by_role("button", name="Add filter").click()
    visitor.address(r"/books\?sort=title&filter=year%20between%201850%20and%201860$")
    page.get_by_role("button", name="Filter", exact=True).click()
    dialog.get_by_role("combobox", name="Column").select_option("author.name")
    dialog.get_by_role("combobox", name="Operator").select_option("contains")
    dialog.get_by_label("Value").fill("hugo")
    dialog.get_by_label("Value").press("Enter")
    visitor.address(r".*instr\(lower\(author\.name\)")
    expect(page.get_by_role("rowheader")).to_have_count(
        len(visitor.json("/books?filter=year between 1850 and 1860 and author.name='Victor Hugo'")))


@step
def several_rows_are_copied_changed_and_deleted(visitor):
    visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for title in ("First", "Second", "Third"):
        visitor.write("POST", "/books", {"title": title, "authorId": 1, "kind": "draft"})
    page = visitor.open("/books?filter=kind='draft'&sort=id")
    page.get_by_role("checkbox", name="Select First", exact=True).check()
    page.get_by_role("checkbox", name="Select Third", exact=True).check()
    bar = page.get_by_role("toolbar", name="Selection")
    expect(bar).to_contain_text("2 selected")
    visitor.picture("selection")
    visitor.check()
    bar.get_by_role("button", name="Copy").click()
    page.get_by_role("menuitem", name="CSV", exact=True).click()
    expect(bar.get_by_role("button", name="Copy")).to_have_attribute("data-done", "")
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert [len(lines), "First" in lines[1], "Third" in lines[2]] == [3, True, True], lines
    bar.get_by_role("button", name="Change").click()
    dialog = page.get_by_role("dialog", name="Change 2 records")
    dialog.get_by_role("combobox", name="Column").select_option("pages")
    dialog.get_by_label("Value").fill("77")
    visitor.check()
    dialog.get_by_role("button", name="Change").click()
    changes = page.get_by_role("region", name="Changes")
    changes.get_by_role("button", name="Apply 2 changes").click()
    expect(changes).to_be_hidden()
    assert [one["pages"] for one in visitor.json("/books?kind=draft&sort=id")] == [77, None, 77]
    page.get_by_role("checkbox", name="Select all").check()
    bar.get_by_role("button", name="Delete").click()
    changes.get_by_role("button", name="Apply 3 changes").click()
    expect(changes).to_be_hidden()
    assert visitor.json("/books?kind=draft") == []


@step
def a_record_is_a_form(visitor):
    page = visitor.open("/books?limit=5")
    page.get_by_role("gridcell", name="novel", exact=True).first.click(button="right")
    page.get_by_role("menuitem", name="Open as form").click()
    form = page.get_by_role("dialog", name="Moby-Dick")
    form.get_by_label("pages", exact=True).fill("636")
    form.get_by_label("price", exact=True).fill("13")
    visitor.picture("form")
    visitor.check()
    form.get_by_role("button", name="Save").click()
    changes = page.get_by_role("region", name="Changes")
    expect(changes).to_contain_text('PATCH /books/1 {"price":13,"pages":636}')
    page.get_by_role("gridcell", name="novel", exact=True).first.click(button="right")
    page.get_by_role("menuitem", name="Open as form").click()
    form.get_by_label("title", exact=True).fill("Moby-Dick II")
    form.get_by_role("button", name="Duplicate").click()
    expect(changes).to_contain_text("POST /books")
    # What is still to be added can be changed.
    changes.get_by_role("button", name="Edit").click()
    page.get_by_role("dialog", name="New in books").get_by_label("title", exact=True).fill("Moby-Dick III")
    page.get_by_role("dialog", name="New in books").get_by_role("button", name="Save").click()
    expect(changes).to_contain_text("Moby-Dick III")
    visitor.check()
    changes.get_by_role("button", name="Discard all").click()


@step
def all_changes_are_one_transaction_and_undone_one_by_one(visitor):
    page = visitor.open("/countries?limit=4&sort=name")
    first, second, third = [one["name"] for one in visitor.json("/countries?limit=3&sort=name")]
    for shown, text in ((first, "Aaland"), (second, third)):
        page.get_by_role("rowheader", name=shown, exact=True).get_by_role("link").focus()
        page.keyboard.press("F2")
        page.locator(".cell-editor input").fill(text)
        page.keyboard.press("Enter")
    changes = page.get_by_role("region", name="Changes")
    changes.get_by_role("button", name="Apply 2 changes").click()
    expect(changes.get_by_role("alert")).to_be_visible()
    assert visitor.json("/countries?limit=1&sort=name")[0]["name"] == first
    changes.get_by_role("listitem").filter(has_text=third).get_by_role("button", name="Undo").click()
    changes.get_by_role("button", name="Apply", exact=True).click()
    expect(changes).to_be_hidden()
    assert visitor.json("/countries?limit=1&sort=name")[0]["name"] == "Aaland"
    code = visitor.json("/countries?limit=1&sort=name")[0]["code"]
    visitor.write("PATCH", f"/countries/{code}", {"name": first})


@step
def records_are_imported_and_errors_stand_at_their_lines(visitor):
    page = visitor.open("/countries?filter=code like 'X_'")
    page.get_by_role("button", name="Import", exact=True).click()
    dialog = page.get_by_role("dialog", name="Import into countries")
    dialog.get_by_label("Text").fill("code,name\nXA,Xa\nXB,France\n")
    expect(dialog.get_by_role("table", name="Preview")).to_contain_text("Xa")
    dialog.get_by_role("button", name="Import").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Line 3")
    visitor.picture("import")
    visitor.check()
    assert visitor.json("/countries?filter=code like 'X_'") == []
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder, "countries.ndjson")
        lines.write_text('{"code":"XA","name":"Xa"}\n{"code":"XB","name":"Xb"}\n')
        dialog.get_by_label("Text").fill("")
        dialog.get_by_label("File").set_input_files(lines)
        expect(dialog.get_by_role("table", name="Preview")).to_contain_text("Xb")
        dialog.get_by_role("button", name="Import").click()
        expect(dialog.get_by_role("status")).to_contain_text("2 records imported")
        dialog.get_by_role("button", name="Close").click()
    expect(page.get_by_role("rowheader", name="Xb", exact=True)).to_be_visible()
    visitor.write("DELETE", "/countries?filter=code like 'X_'", None)


MODEL = """
resources:
  authors:
    columns:
      initial: substr(name, 1, 1)
      bookCount: books.count
    associations:
      recent: { hasMany: sales, foreignKey: [authorId] }
      modern: { hasMany: sales, foreignKey: [authorId], parameters: { since: 1850 } }
commonTableExpressions:
  sales:
    parameters: { since: integer, kind: { type: text, default: null }, dear: { type: boolean, default: false } }
    sql: >-
      SELECT id, authorId, title, year FROM book
      WHERE year >= :since AND (:kind IS NULL OR kind = :kind) AND (NOT :dear OR price > 10)
    key: [id]
"""


@contextmanager
def modelled(visitor):
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model.yaml")
        model.write_text(MODEL)
        with serving(visitor.command, "--writable", "--model", model) as visitor.origin:
            yield


@step
def missing_parameters_are_asked_for(visitor):
    with modelled(visitor):
        page = visitor.open("/sales?sort=title")
        form = page.get_by_role("region", name="Parameters")
        expect(form).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
        visitor.check()
        form.get_by_label("since", exact=True).fill("1850")
        form.get_by_label("kind", exact=True).fill("novel")
        form.get_by_label("dear", exact=True).select_option("true")
        form.get_by_label("kind", exact=True).press("Enter")
        visitor.address(r"/sales\?sort=title&since=1850&kind=novel&dear=true$")
        expect(page.get_by_role("rowheader")).to_have_count(
            len(visitor.json("/books?filter=year>=1850 and kind='novel' and price>10")))
        # What a click adds to a request may need them, and what opens in place.
        page = visitor.open("/authors?limit=3")
        page.get_by_role("button", name="Include recent").click()
        form.get_by_label("recent.since", exact=True).fill("1850")
        form.get_by_role("button", name="Run").click()
        visitor.address(r"/authors\?limit=3&include=recent&recent\.limit=5&recent\.since=1850$")
        expect(page.get_by_role("treegrid", name="recent of Herman Melville")).to_be_visible()
        page = visitor.open("/authors?limit=3")
        row = page.get_by_role("row").nth(1)
        row.get_by_role("button", name="recent", exact=True).click()
        form.get_by_label("since", exact=True).fill("1850")
        visitor.check()
        form.get_by_role("button", name="Run").click()
        expect(page.get_by_role("treegrid", name="recent of Herman Melville")).to_contain_text("Moby-Dick")
        row.get_by_role("button", name="modern", exact=True).click()
        expect(page.get_by_role("treegrid", name="modern of Herman Melville")).to_contain_text("Moby-Dick")
        # Without them, there is nothing to compare.
        page.get_by_role("button", name="Filter", exact=True).click()
        terms = page.get_by_role("combobox", name="Column").locator("option")
        expect(terms.filter(has_text=re.compile(r"^modern\.count$"))).to_have_count(1)
        assert "recent.count" not in terms.all_inner_texts()


@step
def computed_columns_are_added_and_only_read(visitor):
    with modelled(visitor):
        page = visitor.open("/authors?limit=3")
        expect(page.get_by_role("columnheader", name="bookCount")).to_have_count(0)
        page.get_by_role("button", name="Columns", exact=True).click()
        page.get_by_role("menuitem", name="bookCount").click()
        visitor.address(r"/authors\?limit=3&fields=\*,bookCount$")
        page.get_by_role("columnheader").get_by_role("button", name="bookCount", exact=True).click()
        visitor.address(r".*&sort=bookCount$")
        expect(page.get_by_role("columnheader", name="bookCount")).to_have_attribute("aria-sort", "ascending")
        cell = page.get_by_role("row").nth(1).get_by_role("gridcell").filter(has_text=re.compile(r"^\d$")).last
        cell.click(button="right")
        expect(page.get_by_role("menuitem", name=re.compile("^bookCount="))).to_be_visible()
        expect(page.get_by_role("menuitem", name="Edit", exact=True)).to_have_count(0)
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Add to authors").click()
        form = page.get_by_role("region", name="New in authors")
        expect(form.get_by_label("name", exact=True)).to_be_visible()
        expect(form.get_by_label("bookCount", exact=True)).to_have_count(0)


@step
def booleans_and_dates_are_picked(visitor):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kinds.db")
        with sqlite3.connect(path) as database:
            database.executescript("""
                CREATE TABLE thing (id INTEGER PRIMARY KEY, day DATE, moment DATETIME, done BOOLEAN, meta JSON, loose);
                INSERT INTO thing VALUES (1, '2024-01-02', '2024-01-02 03:04:05', 0, '{"a":1.00}', '012');
                """)
        with serving(visitor.command, path, "--writable") as visitor.origin:
            page = visitor.open("/things")
            values = {"2024-01-02": "2024-02-03", "2024-01-02 03:04:05": "2025-01-02T03:04:06", "012": "013"}
            for shown, text in values.items():
                page.get_by_role("gridcell", name=shown, exact=True).click()
                page.keyboard.press("F2")
                field = page.locator(".cell-editor input")
                expect(field).to_be_focused()
                field.fill(text)
                page.keyboard.press("Enter")
            page.get_by_role("gridcell", name="false", exact=True).click()
            page.keyboard.press("F2")
            page.locator(".cell-editor select").select_option("true")
            page.keyboard.press("Enter")
            page.get_by_role("gridcell", name='{"a":1.00}', exact=True).click()
            page.keyboard.press("F2")
            page.locator(".cell-editor textarea").fill('{"a":')
            page.keyboard.press("Enter")
            expect(page.locator(".cell-editor textarea")).to_have_attribute("aria-invalid", "true")
            page.locator(".cell-editor textarea").fill('{"a":2.50}')
            page.keyboard.press("Enter")
            changes = page.get_by_role("region", name="Changes")
            changes.get_by_role("button", name="Apply").click()
            expect(changes).to_be_hidden()
            assert visitor.json("/things/1") == {
                "id": 1, "day": "2024-02-03", "moment": "2025-01-02 03:04:06", "done": True, "meta": {"a": 2.5},
                "loose": "013"}, visitor.json("/things/1")


@step
def widths_and_requests_are_kept(visitor):
    page = visitor.open("/books?limit=5")
    head = page.get_by_role("columnheader", name="title")
    before = head.bounding_box()["width"]
    page.get_by_role("button", name="Menu of title").click()
    page.get_by_role("menuitem", name="Wider").click()
    width = head.bounding_box()["width"]
    assert width > before + 30, (before, width)
    page.reload()
    expect(page.get_by_role("rowheader").first).to_be_visible()
    page.wait_for_timeout(200)
    kept = head.bounding_box()["width"]
    assert abs(kept - width) < 2, (kept, width)
    page.get_by_role("button", name="Requests", exact=True).click()
    page.get_by_role("menuitem", name="Keep this request").click()
    page.get_by_role("dialog", name="Keep this request").get_by_label("Name").fill("Five books")
    visitor.check()
    page.keyboard.press("Enter")
    page.goto(visitor.origin + "/")
    page.get_by_role("button", name="Requests", exact=True).click()
    page.get_by_role("menuitem", name="Five books").click()
    visitor.address(r"/books\?limit=5$")


@step
def print_shows_what_is_loaded(visitor):
    page = visitor.open("/books")
    expect(page.get_by_role("rowheader").first).to_be_visible()
    page.emulate_media(media="print")
    hidden = page.evaluate("""() => [...document.querySelectorAll('tbody tr')].filter(row =>
        row.getBoundingClientRect().bottom > document.documentElement.scrollHeight + 1).length""")
    assert hidden == 0, hidden
    assert page.evaluate("getComputedStyle(document.querySelector('main')).overflowY") == "visible"


@step
def texts_have_their_own_direction(visitor):
    visitor.write("POST", "/authors", {"name": "\u05e9\u05dc\u05d5\u05dd!"})
    page = visitor.open("/authors?filter=id>2&sort=-id&limit=1")
    cell = page.get_by_role("rowheader").first
    expect(cell).to_be_visible()
    assert cell.evaluate("cell => getComputedStyle(cell).unicodeBidi") == "plaintext"
    visitor.write("DELETE", "/authors?filter=name like '%25!'", None)


@step
def the_first_page_is_soon_usable_far_away(visitor):
    session = visitor.context.new_cdp_session(visitor.page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions",
                 {"offline": False, "latency": 100, "downloadThroughput": -1, "uploadThroughput": -1})
    visitor.context.add_init_script("""new MutationObserver((_, observer) => {
        if (!document.querySelector('[role=combobox][contenteditable]')) return;
        window.usable = performance.now(); observer.disconnect() }).observe(document, { childList: true, subtree: true })""")
    page = visitor.open("/authors")
    page.get_by_role("combobox", name="Request URL").wait_for()
    asked = page.evaluate("performance.getEntriesByType('resource').filter(e => e.name.includes('/-/explorer/')).length")
    assert asked < 45, asked
    print(f"     usable after {page.evaluate('window.usable'):.0f} ms, {asked} files")


@step
def every_script_is_whole_as_it_is_served(visitor):
    page = visitor.open("/authors?limit=1")
    page.get_by_role("combobox", name="Request URL").wait_for()
    path = page.evaluate("document.querySelector('script[type=module]').src.replace('explorer.js', '')")
    assets = Path(__file__).resolve().parents[2] / "Sources/CKindredExplorer/assets"
    names = sorted(one.name for one in assets.glob("*.js") if one.name not in ("explorer.js", "theme.js"))
    page.evaluate("([path, names]) => Promise.all(names.map(name => import(path + name)))", [path, names])
