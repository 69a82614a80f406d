"""What comes late, fails, expires or is lost after the first page."""
import re
import sqlite3
import tempfile
from pathlib import Path

from playwright.sync_api import expect

from visitor import Network, edit, guarded, large, scroll, serving, sign_in, step


def item(page, number):
    return page.get_by_role("rowheader", name=f"Item {number}", exact=True)


@step
def a_large_table_goes_on_after_an_error(visitor):
    with tempfile.TemporaryDirectory() as folder, large(folder) as database, \
            serving(visitor.command, database) as visitor.origin:
        page = visitor.open("/items")
        expect(item(page, 1)).to_be_visible()
        network = Network(page)
        network.refuse("GET .*after=", 500, times=2)
        scroll(page)
        alert = page.get_by_role("tabpanel", name="Table").get_by_role("alert")
        expect(alert).to_be_visible()
        expect(page.get_by_role("treegrid", name="items")).to_have_attribute("aria-rowcount", "-1")
        visitor.check()
        alert.get_by_role("button", name="Try again").click()
        expect(alert).to_contain_text("500")
        alert.get_by_role("button", name="Try again").click()
        expect(alert).to_be_hidden()
        network.refuse("GET .*after=", 503, times=2, **{"Retry-After": "0"})
        for _ in range(40):
            scroll(page, 4000)
            page.wait_for_timeout(100)
            if item(page, 1000).count():
                break
        expect(item(page, 1000)).to_be_visible()
        expect(page.get_by_role("treegrid", name="items")).to_have_attribute("aria-rowcount", "1000")


@step
def an_expired_token_is_renewed_wherever_it_is_noticed(visitor):
    """Each action of the explorer, with a token that expires right before it."""
    def nested(page):
        page.get_by_role("button", name=re.compile("^books 5")).first.click()
        return page.get_by_role("treegrid", name="books of Victor Hugo")

    def editing(page):
        page.get_by_role("gridcell", name="1802", exact=True).click()
        page.keyboard.press("F2")
        return page.locator(".cell-editor input")

    def facet(page):
        page.get_by_role("button", name="Menu of countryCode").click()
        page.get_by_role("menuitem", name="Top values").click()
        return page.get_by_role("dialog", name="Top values of countryCode").get_by_role("button", name="FR", exact=True)

    def sorting(page):
        page.get_by_role("columnheader").get_by_role("button", name="name", exact=True).click()
        return page.get_by_role("columnheader", name="name")

    def view(name, text):
        def show(page):
            page.get_by_role("tab", name=name).click()
            return page.get_by_role("tabpanel", name=name).get_by_text(text).first
        return show

    def form(page):
        page.get_by_role("gridcell", name="1802", exact=True).click(button="right")
        page.get_by_role("menuitem", name="Open as form").click()
        return page.get_by_role("dialog", name="Victor Hugo").get_by_label("birthYear", exact=True)

    def filters(page):
        page.get_by_role("button", name="Filter", exact=True).click()
        return page.get_by_role("combobox", name="Column")

    with guarded(visitor.command) as visitor.origin:
        for action in (nested, editing, facet, sorting, view("JSON", "Victor Hugo"), view("Plan", "SELECT"), form, filters):
            page = visitor.open("/authors")
            sign_in(page, "old")
            expect(page.get_by_role("rowheader", name="Victor Hugo")).to_be_visible()
            network = Network(page)
            page.wait_for_load_state("networkidle")
            network.expire("new")
            found = action(page)
            sign_in(page)
            expect(found).to_be_visible()
            assert page.get_by_role("dialog", name="Sign in").count() == 0
            page.unroute("**/*")


@step
def what_was_edited_is_kept_while_the_token_expires(visitor):
    with guarded(visitor.command) as visitor.origin:
        page = visitor.open("/authors")
        sign_in(page, "old")
        edit(page, "1802", "1803")
        network = Network(page)
        network.expire("new")
        changes = page.get_by_role("region", name="Changes")
        changes.get_by_role("button", name="Apply").click()
        sign_in(page)
        expect(changes).to_be_hidden()
        expect(page.get_by_role("gridcell", name="1803", exact=True)).to_be_visible()
        expect(page.get_by_role("button", name="Sign out")).to_be_visible()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("dialog", name="Sign in")).to_be_visible()


@step
def open_rows_of_a_link_survive_signing_in(visitor):
    with guarded(visitor.command) as visitor.origin:
        page = visitor.open("/authors#open=/authors/3/books")
        sign_in(page, "old")
        expect(page.get_by_role("treegrid", name="books of Victor Hugo")).to_be_visible()
        assert page.url.endswith("#open=/authors/3/books"), page.url


@step
def a_late_answer_never_replaces_a_newer_one(visitor):
    page = visitor.open("/authors?limit=4")
    page.get_by_role("button", name=re.compile("^books 5")).click()
    books = page.get_by_role("treegrid", name="books of Victor Hugo")
    expect(books).to_be_visible()
    network = Network(page)
    release = network.hold("books.*sort=title")
    books.get_by_role("button", name="title", exact=True).click()
    page.wait_for_timeout(200)
    books.get_by_role("button", name="year", exact=True).click()
    expect(books.get_by_role("columnheader", name="year")).to_have_attribute("aria-sort", "ascending")
    release()
    page.wait_for_timeout(400)
    expect(books.get_by_role("columnheader", name="title")).not_to_have_attribute("aria-sort", "ascending")


@step
def a_lost_answer_is_no_conflict(visitor):
    page = visitor.open("/books?limit=4&fields=id,title,price")
    price = visitor.json("/books/1")["price"]
    edit(page, str(price), f"{price + 1:.2f}")
    network = Network(page)
    network.lose("POST .*/-/batch")
    changes = page.get_by_role("region", name="Changes")
    changes.get_by_role("button", name="Apply").click()
    expect(changes.get_by_role("alert")).to_contain_text("Nothing is lost")
    changes.get_by_role("button", name="Apply").click()
    expect(changes).to_be_hidden()
    assert visitor.json("/books/1")["price"] == price + 1
    visitor.write("PATCH", "/books/1", {"price": price})


@step
def removing_one_chip_keeps_the_others(visitor):
    page = visitor.open("/books?filter=yeer>1950&filter=id<300&sort=year")
    page.get_by_role("button", name="Remove sort=year").click()
    visitor.address(r"/books\?filter=yeer%3E1950&filter=id%3C300$")
    expect(page.get_by_role("alert").locator("mark")).to_have_text("yeer")


@step
def digits_are_kept_in_the_top_values(visitor):
    with tempfile.TemporaryDirectory() as folder, large(folder) as database, \
            serving(visitor.command, database) as visitor.origin:
        page = visitor.open("/items")
        page.get_by_role("button", name="Menu of number").click()
        page.get_by_role("menuitem", name="Top values").click()
        value = page.get_by_role("dialog", name="Top values of number").get_by_role("button", name="9007199254740993", exact=True)
        value.click()
        visitor.address(r"/items\?filter=number=9007199254740993")
        expect(item(page, 200)).to_be_visible()


@step
def a_reader_comes_back_to_the_place_that_they_left(visitor):
    with tempfile.TemporaryDirectory() as folder, large(folder) as database, \
            serving(visitor.command, database) as visitor.origin:
        page = visitor.open("/items")
        expect(item(page, 1)).to_be_visible()
        for _ in range(10):
            scroll(page)
            page.wait_for_timeout(150)
        top = "() => [...document.querySelectorAll('tbody th')].find(e => e.getBoundingClientRect().top > 200).textContent"
        first = page.evaluate(top)
        assert int(first.split()[1]) > 200, first
        page.get_by_role("rowheader", name=first, exact=True).get_by_role("link").click()
        visitor.address(r"/items/\d+$")
        page.go_back()
        expect(page.get_by_role("rowheader", name=first, exact=True)).to_be_visible()
        expect(page.get_by_role("rowheader", name=first, exact=True).get_by_role("link")).to_be_focused()
        page.wait_for_timeout(300)
        assert page.evaluate(top) == first, page.evaluate(top)


@step
def cells_beyond_the_first_hundred_are_edited_and_stay(visitor):
    with tempfile.TemporaryDirectory() as folder, large(folder) as database, \
            serving(visitor.command, database, "--writable") as visitor.origin:
        page = visitor.open("/items")
        expect(item(page, 1)).to_be_visible()
        for _ in range(30):
            if item(page, 250).count():
                break
            scroll(page)
            page.wait_for_timeout(100)
        item(page, 250).scroll_into_view_if_needed()
        edit(page, "Item 250", "Changed", role="rowheader")
        changes = page.get_by_role("region", name="Changes")
        expect(changes).to_contain_text('PATCH /items/250 {"name":"Changed"}')
        assert page.evaluate("document.activeElement.textContent") == "Item 250"
        changes.get_by_role("button", name="Apply").click()
        expect(changes).to_be_hidden()
        link = page.get_by_role("rowheader", name="Changed", exact=True).get_by_role("link")
        expect(link).to_have_attribute("href", "/items/250")
        edit(page, "Changed", "Item 250", role="rowheader")
        expect(changes).to_contain_text('PATCH /items/250 {"name":"Item 250"}')


@step
def what_is_selected_stays_so_while_its_rows_are_unloaded(visitor):
    with tempfile.TemporaryDirectory() as folder, large(folder) as database, \
            serving(visitor.command, database, "--writable") as visitor.origin:
        visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = visitor.open("/items")
        page.get_by_role("checkbox", name="Select Item 2", exact=True).check()
        for _ in range(60):
            if item(page, 900).count() and not item(page, 2).count():
                break
            scroll(page, 4000)
            page.wait_for_timeout(100)
        expect(item(page, 2)).to_have_count(0)
        page.get_by_role("checkbox", name="Select Item 900", exact=True).check()
        bar = page.get_by_role("toolbar", name="Selection")
        expect(bar).to_contain_text("2 selected")
        bar.get_by_role("button", name="Copy").click()
        page.get_by_role("menuitem", name="CSV", exact=True).click()
        expect(bar.get_by_role("button", name="Copy")).to_have_attribute("data-done", "")
        copied = page.evaluate("navigator.clipboard.readText()").splitlines()
        assert [line.split(",")[1] for line in copied] == ["name", "Item 2", "Item 900"], copied
        bar.get_by_role("button", name="Delete").click()
        page.get_by_role("region", name="Changes").get_by_role("button", name="Apply 2 changes").click()
        expect(page.get_by_role("region", name="Changes")).to_be_hidden()
        expect(bar).to_be_hidden()
        assert visitor.json("/items?filter=id in (2,900)") == []


@step
def a_tall_window_is_filled(visitor):
    with tempfile.TemporaryDirectory() as folder, large(folder) as database, \
            serving(visitor.command, database) as visitor.origin:
        visitor.page.set_viewport_size({"width": 1200, "height": 5000})
        page = visitor.open("/items")
        expect(item(page, 150)).to_be_visible()
        visitor.page.set_viewport_size({"width": 390, "height": 700})
        page = visitor.open("/items")
        expect(item(page, 1)).to_be_visible()
        for _ in range(20):
            scroll(page, 2000)
            page.wait_for_timeout(100)
        assert page.evaluate("Math.max(...[...document.querySelectorAll('[aria-rowindex]')].map(r => +r.ariaRowIndex))") > 200


@step
def seven_tabs_are_live(visitor):
    pages = []
    for number in range(7):
        page = visitor.context.new_page()
        page.goto(f"{visitor.origin}/authors?limit={number + 2}")
        page.get_by_role("switch", name="Live").click()
        pages.append(page)
    visitor.page.goto(visitor.origin + "/authors?limit=2")
    expect(visitor.page.get_by_role("rowheader").first).to_be_visible()
    born = visitor.json("/authors/1")["birthYear"]
    visitor.write("PATCH", "/authors/1", {"birthYear": 1})
    for page in pages:
        expect(page.get_by_role("gridcell", name="1", exact=True)).to_have_count(2)
    visitor.write("PATCH", "/authors/1", {"birthYear": born})


@step
def back_while_the_server_is_gone_is_restored_later(visitor):
    page = visitor.open("/authors?limit=3")
    page.get_by_role("columnheader").get_by_role("button", name="name", exact=True).click()
    visitor.address(r"/authors\?limit=3&sort=name$")
    network = Network(page)
    network.add("GET .*/authors", lambda route, rule: route.abort())
    page.get_by_role("tab", name="Code").click()
    page.go_back()
    alert = page.get_by_role("alert")
    expect(alert).to_be_visible()
    network.clear()
    alert.get_by_role("button", name="Try again").click()
    visitor.address(r"/authors\?limit=3$")
    page.go_forward()
    visitor.address(r"/authors\?limit=3&sort=name")


@step
def names_of_the_language_are_names(visitor):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "names.db")
        with sqlite3.connect(path) as database:
            database.executescript("""
                CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
                CREATE TABLE proto (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), constructor TEXT,
                  __proto__ TEXT, n TEXT);
                INSERT INTO author VALUES (1, 'One');
                INSERT INTO proto VALUES (1, 1, 'c', 'p', 'x'), (2, 1, 'd', 'q', 'x');
                """)
        with serving(visitor.command, path, "--writable") as visitor.origin:
            page = visitor.open("/protos")
            for shown, text in (("c", "5"), ("p", "6")):
                edit(page, shown, text)
            changes = page.get_by_role("region", name="Changes")
            expect(changes).to_contain_text('PATCH /protos/1 {"constructor":"5","__proto__":"6"}')
            changes.get_by_role("button", name="Apply").click()
            expect(changes).to_be_hidden()
            assert visitor.json("/protos/1")["constructor"] == "5"
            page.get_by_role("button", name="Menu of n", exact=True).click()
            page.get_by_role("menuitem", name="Group", exact=True).click()
            expect(page.get_by_role("gridcell", name="2", exact=True)).to_be_visible()


@step
def long_values_are_shown_by_their_size_and_survive_a_reload(visitor):
    with tempfile.TemporaryDirectory() as folder:
        path, photo = Path(folder, "photos.db"), Path(folder, "photo.png")
        photo.write_bytes(bytes(range(256)) * 2000)
        with sqlite3.connect(path) as database:
            database.executescript("CREATE TABLE photo (id INTEGER PRIMARY KEY, name TEXT, content BLOB);"
                                   "INSERT INTO photo VALUES (1, 'One', x'00');")
        with serving(visitor.command, path, "--writable") as visitor.origin:
            page = visitor.open("/photos")
            page.get_by_role("gridcell", name="AA==", exact=True).click()
            page.keyboard.press("F2")
            page.locator(".cell-editor input").set_input_files(photo)
            page.locator(".cell-editor input").press("Enter")
            changes = page.get_by_role("region", name="Changes")
            expect(changes).to_contain_text('{"content":"512 kB"}')
            page.wait_for_timeout(300)
            page.reload()
            expect(changes).to_contain_text('{"content":"512 kB"}')
            changes.get_by_role("button", name="Apply").click()
            expect(changes).to_be_hidden()
            answer = page.request.get(visitor.origin + "/photos/1/content")
            assert answer.body() == photo.read_bytes()
