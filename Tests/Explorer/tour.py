"""The tour of the documented requests, and the ways through a page, by keyboard alone."""
import re
import urllib.parse
from pathlib import Path

from playwright.sync_api import expect

from visitor import step

REQUESTS = Path(__file__).resolve().parents[2] / "docs/requests.md"


def examples():
    """The URLs of the page's first table."""
    table = REQUESTS.read_text().split("\n## By example\n")[1].split("\n## ")[0]
    found = [url for line in table.splitlines() if line.startswith("|") for url in re.findall(r"`(/[^`]*)`", line)]
    assert len(found) > 20, found
    return found


def focused(page):
    """What has the focus: its role and name."""
    return page.evaluate("""() => { const e = document.activeElement
        return `${e.getAttribute('role') ?? e.localName} ${e.getAttribute('aria-label') ?? e.textContent}` }""")


def tab_to(page, pattern):
    for _ in range(80):
        if re.search(pattern, focused(page)):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {pattern}")


def move_to(page, key, pattern):
    for _ in range(40):
        if re.search(pattern, focused(page)):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {pattern}, but to {focused(page)}")


def write(page, url):
    tab_to(page, "^combobox Request URL")
    page.keyboard.press("Control+A")
    page.keyboard.type(url)
    page.keyboard.press("Control+Enter")


def texts(document):
    """The first texts and numbers of a result."""
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, list):
        return [text for one in document[:2] for text in texts(one)][:6]
    return [] if document is None or document == "" else [str(document)]


@step
def the_tour_of_the_readme_by_keyboard(visitor):
    page = visitor.open("/")
    for url in examples():
        if "format=csv" in url:
            with page.expect_download() as download:
                write(page, url)
            assert Path(download.value.path()).read_text().startswith("id,"), url
            continue
        write(page, url)
        page.wait_for_function(
            "url => decodeURIComponent(location.pathname + location.search) === url", arg=urllib.parse.unquote(url))
        if re.fullmatch(r"/authors/1/name", url):
            expect(page.locator("body")).to_contain_text("Herman Melville")
            visitor.open("/")
            continue
        expect(page.get_by_role("alert")).to_be_hidden()
        # The numbers of books and years have the form that JSON gives them.
        for text in texts(visitor.json(url)):
            expect(page.get_by_role("main")).to_contain_text(re.sub(r"\s+", " ", text))
        assert "Request URL" in focused(page), focused(page)


@step
def the_ways_through_a_page_by_keyboard(visitor):
    page = visitor.open("/authors?limit=5")
    # What the links of a row are for.
    tab_to(page, "^a Herman Melville|^button id")
    page.keyboard.press("Control+Home")
    page.keyboard.press("ArrowDown")
    # → opens an association that it is on, and ← leaves a closed one.
    page.keyboard.press("End")
    move_to(page, "ArrowLeft", "^button books 2")
    page.keyboard.press("Enter")
    books = page.get_by_role("treegrid", name="books of Herman Melville")
    expect(books).to_contain_text("Moby-Dick")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert books.evaluate("grid => grid.contains(document.activeElement)"), focused(page)
    page.keyboard.press("Shift+F10")
    expect(page.get_by_role("menu")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_be_hidden()
    assert books.evaluate("grid => grid.contains(document.activeElement)"), focused(page)
    # A grid is one stop.
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('table')"), focused(page)
    # The header of a column, and its menu.
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Control+Home")
    move_to(page, "ArrowRight", "^button name")
    page.keyboard.press("Enter")
    visitor.address(r"/authors\?limit=5&sort=name$")
    tab_to(page, "^button Remove sort=name")
    page.keyboard.press("Enter")
    visitor.address(r"/authors\?limit=5$")
    # The menu of parameters, a completion, and the request.
    tab_to(page, "^button Add")
    expect(page.get_by_role("button", name="Add", exact=True)).to_be_enabled()
    page.keyboard.press("Enter")
    page.keyboard.press("s")
    move_to(page, "s", "^menuitem sort")
    page.keyboard.press("Enter")
    expect(page.get_by_role("listbox", name="Completions")).to_be_visible()
    page.keyboard.type("birth")
    expect(page.get_by_role("listbox", name="Completions").get_by_role("option").first).to_contain_text("birthYear")
    page.wait_for_timeout(300)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    visitor.address(r"/authors\?limit=5&sort=birthYear$")
    # The views.
    tab_to(page, "^tab Table")
    for name in ("JSON", "Plan", "Diagram", "Code"):
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("tabpanel", name=name)).to_be_visible()
    page.keyboard.press("Home")
    expect(page.get_by_role("treegrid", name="authors")).to_be_visible()
    # Anything else.
    page.keyboard.press("Control+k")
    page.keyboard.type("cou")
    page.keyboard.press("Enter")
    visitor.address("/countries$")
