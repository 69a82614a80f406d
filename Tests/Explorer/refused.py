"""What every place that asks the server does with each answer that isn't data."""
import re
from contextlib import contextmanager

from playwright.sync_api import expect

from visitor import Network, edit, step

STATUSES = (403, 409, 412, 413, 422, 429, 500, 503)


def menu_of(page, column, item):
    page.get_by_role("button", name=f"Menu of {column}", exact=True).click()
    page.get_by_role("menuitem", name=item, exact=True).click()


def cell_menu(page, shown, item):
    page.get_by_role("gridcell", name=shown, exact=True).first.click(button="right")
    page.get_by_role("menuitem", name=item, exact=True).click()


def tab(name):
    return lambda page: page.get_by_role("tab", name=name).click()


def search(page):
    page.get_by_role("searchbox", name="Search").fill("sea")
    page.keyboard.press("Enter")


def start_editing(page):
    page.get_by_role("gridcell", name="novel", exact=True).first.click()
    page.keyboard.press("F2")


def choose(page):
    page.get_by_role("row").nth(1).get_by_role("link", name="Herman Melville", exact=True).focus()
    page.keyboard.press("F2")
    expect(page.get_by_role("combobox", name="authorId")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("hugo")


def copy(page):
    page.get_by_role("button", name="Copy rows").click()
    page.get_by_role("menuitem", name="CSV", exact=True).click()


def apply(page):
    edit(page, "novel", "poem")
    page.get_by_role("region", name="Changes").get_by_role("button", name="Apply", exact=True).click()


def remove_selected(page):
    page.get_by_role("checkbox", name="Select Moby-Dick", exact=True).check()
    page.get_by_role("toolbar", name="Selection").get_by_role("button", name="Delete").click()


def import_text(page):
    page.get_by_role("button", name="Import", exact=True).click()
    dialog = page.get_by_role("dialog", name="Import into books")
    dialog.get_by_label("Text").fill("title\nA\n")
    dialog.get_by_role("button", name="Import").click()


def press(name):
    return lambda page: page.get_by_role("button", name=name, exact=True).first.click()


# An action, and the request that it makes.
PLACES = {
    "sort": (lambda page: page.get_by_role("columnheader").get_by_role("button", name="year", exact=True).click(), r"GET [^?]*/books\?.*sort=year"),
    "describe": (lambda page: page.get_by_role("columnheader").get_by_role("button", name="year", exact=True).click(), "/-/describe"),
    "search": (search, "GET .*/books.*search="),
    "open": (lambda page: page.get_by_role("button", name=re.compile("^reviews")).first.click(), "/books/1/reviews"),
    "top values": (lambda page: menu_of(page, "kind", "Top values"), "group=kind"),
    "JSON": (tab("JSON"), "GET .*/books"),
    "Plan": (tab("Plan"), "explain=true"),
    "Diagram": (tab("Diagram"), "/-/diagram"),
    "edit": (start_editing, "GET .*/books/1"),
    "choices": (choose, "GET .*/authors\\?"),
    "delete": (lambda page: cell_menu(page, "novel", "Delete Moby-Dick"), "GET .*/books/1"),
    "form": (lambda page: cell_menu(page, "novel", "Open as form"), "GET .*/books/1"),
    "copy": (copy, "GET .*/books"),
    "apply": (apply, "/-/batch"),
    "delete selected": (remove_selected, "GET .*/books/1"),
    "import": (import_text, "POST .*/books"),
    "filter": (press("Filter"), "/-/schema"),
    "add": (press("Add to books"), "/-/schema"),
    "parameters": (press("Add"), "/-/complete"),
}


@contextmanager
def fresh(visitor):
    """The page of books, without changes of before."""
    page = visitor.context.new_page()
    page.goto(visitor.origin + "/books?limit=5")
    expect(page.get_by_role("rowheader").first).to_be_visible()
    expect(page.get_by_role("button", name="Add to books")).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.on("pageerror", lambda error: visitor.problems.append(f"a script threw: {error}"))
    yield page
    page.close()


@step
def no_place_is_silent_about_a_refusal(visitor):
    visitor.open("/")
    for index, (place, (action, pattern)) in enumerate(PLACES.items()):
        # Each place with two of the answers, and all answers at some place.
        for status in (STATUSES[index % len(STATUSES)], STATUSES[(index * 4 + 3) % len(STATUSES)]):
            if status == 403 and "schema" in pattern:
                continue  # the index stands in for a schema that only operators may see
            with fresh(visitor) as page:
                Network(page).refuse(pattern, status, times=-1, **{"Retry-After": "60"})
                action(page)
                alert = page.get_by_role("alert").filter(has_text=re.compile(f"refused on purpose|status {status}"))
                expect(alert.first, f"{place}, {status}").to_be_visible()
                assert not visitor.problems, f"{place}, {status}: {visitor.problems}"


@step
def no_place_is_silent_about_an_answer_that_ends_early(visitor):
    visitor.open("/")
    for place in ("sort", "describe", "open", "top values", "JSON", "Plan", "Diagram", "edit", "choices", "form", "copy", "apply",
                  "filter", "add", "parameters"):
        action, pattern = PLACES[place]
        with fresh(visitor) as page:
            Network(page).add(pattern, lambda route, rule: route.abort("connectionreset"))
            action(page)
            expect(page.get_by_role("alert").filter(has_text="server").first, place).to_be_visible()
            assert not visitor.problems, f"{place}: {visitor.problems}"
