"""The explorer in a browser, on the sample library: the ways that a reader takes, by roles and names.

    python browse.py .build/release/kindred [--screenshots FOLDER]

Each step ends with: nothing was asked of another host, no policy was broken, no script threw, axe finds nothing.
"""
import argparse
import gzip
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

import browsers  # noqa: F401  (its steps)
import extremes  # noqa: F401
import features  # noqa: F401
import late  # noqa: F401
import postgresql  # noqa: F401
import refused  # noqa: F401
import tour  # noqa: F401
import tutorial  # noqa: F401
from visitor import STEPS, Visitor, edit, serving, step


@step
def records_open_in_place(visitor):
    page = visitor.open("/authors?fields=name,countryCode,birthYear,deathYear&limit=12")
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="Victor Hugo"))
    row.get_by_role("button", name=re.compile("^books 5")).click()
    books = page.get_by_role("treegrid", name="books of Victor Hugo")
    expect(books).to_contain_text("Les Misérables")
    books.get_by_role("row").filter(has_text="Les Misérables").get_by_role("button", name=re.compile("^reviews")).click()
    expect(page.get_by_role("treegrid", name="reviews of Les Misérables")).to_be_visible()
    visitor.picture("nested")


@step
def the_first_request_of_the_readme_is_a_page(visitor):
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text()
    page = visitor.open(re.search(r"\$ curl 'http://127.0.0.1:8080(.+)'", readme)[1])
    expect(page.get_by_role("main")).to_contain_text("The House of the Seven Gables")
    page.set_viewport_size({"width": 1200, "height": 480})
    visitor.picture("readme")


@step
def scripts_and_styles_are_small_and_kept(visitor):
    answers = []
    visitor.page.on("response", lambda answer: "/-/explorer/" in answer.url and answers.append(answer))
    visitor.open("/authors?limit=1")
    visitor.page.get_by_role("combobox", name="Request URL").wait_for()
    assert all("immutable" in answer.headers["cache-control"] for answer in answers)
    size = sum(len(gzip.compress(answer.body(), 9)) for answer in answers)
    assert 20_000 < size <= 60 * 1024, f"{size} bytes"
    path = answers[0].url.rsplit("/", 1)[0]
    assets = Path(__file__).resolve().parents[2] / "Sources/CKindredExplorer/assets"
    bodies = [visitor.page.request.get(f"{path}/{one.name}").body() for one in assets.iterdir()]
    assert sum(len(gzip.compress(body, 9)) for body in bodies) <= 75 * 1024


@step
def clicks_write_the_request(visitor):
    page = visitor.open("/books?limit=20")
    page.get_by_role("columnheader").get_by_role("button", name="year", exact=True).click()
    visitor.address(r"/books\?limit=20&sort=year$")
    page.get_by_role("gridcell", name="novel", exact=True).first.click(button="right")
    page.get_by_role("menuitem", name="kind='novel'", exact=True).click()
    visitor.address(r".*filter=kind=%27novel%27")
    page.get_by_role("button", name="Remove sort=year").click()
    visitor.address(r"/books\?limit=20&filter=")


@step
def mistakes_are_marked_and_mended_by_one_key(visitor):
    page = visitor.open("/books?limit=3")
    editor = page.get_by_role("combobox", name="Request URL")
    editor.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("/books?filter=price>10 and yaer>1900&sort=-year")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert").locator("mark")).to_have_text("yaer")
    visitor.picture("mistake")
    page.keyboard.press("Enter")
    visitor.address(r"/books\?filter=price%3E10%20and%20year%3E1900&sort=-year")
    expect(page.get_by_role("alert")).to_be_hidden()


@step
def completions_are_offered_and_none_is_forced(visitor):
    page = visitor.open("/")
    page.get_by_role("combobox", name="Request URL").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("/authors?include=bo")
    expect(page.get_by_role("listbox", name="Completions").get_by_role("option").first).to_contain_text("books")
    visitor.picture("completion")
    page.keyboard.press("Escape")
    page.keyboard.type("oks")
    page.keyboard.press("Control+Enter")
    visitor.address(r"/authors\?include=books")


@step
def every_view_shows_the_request(visitor):
    page = visitor.open("/authors?include=books&limit=2")
    for name, text in [("JSON", '"title": "Moby-Dick"'), ("Plan", "SELECT"), ("Code", "curl"), ("Diagram", "books")]:
        page.get_by_role("tab", name=name).click()
        expect(page.get_by_role("tabpanel", name=name)).to_contain_text(text)
        visitor.picture(name.lower())
        visitor.check()


@step
def edits_are_staged_and_nothing_is_overwritten(visitor):
    page = visitor.open("/authors?limit=4")
    author = "/authors/1"
    born = visitor.json(author)["birthYear"]
    edit(page, str(born), str(born + 1))
    changes = page.get_by_role("region", name="Changes")
    expect(changes).to_contain_text(f'PATCH {author} {{"birthYear":{born + 1}}}')
    page.reload()
    expect(changes).to_contain_text("PATCH")
    visitor.write("PATCH", author, {"birthYear": born - 1})
    changes.get_by_role("button", name="Apply").click()
    expect(changes.get_by_role("alert")).to_contain_text("changed in the meantime")
    for value in (born, born - 1, born + 1):
        expect(changes.get_by_role("table")).to_contain_text(str(value))
    visitor.picture("conflict")
    visitor.check()
    changes.get_by_role("button", name="Keep mine").click()
    changes.get_by_role("button", name="Apply").click()
    expect(changes).to_be_hidden()
    assert visitor.json(author)["birthYear"] == born + 1
    visitor.write("PATCH", author, {"birthYear": born})


@step
def what_the_table_refuses_is_marked_in_its_cell(visitor):
    page = visitor.open("/countries?limit=4&sort=name")
    first, second = [one["name"] for one in visitor.json("/countries?limit=2&sort=name")]
    edit(page, first, second, role="rowheader")
    changes = page.get_by_role("region", name="Changes")
    changes.get_by_role("button", name="Apply").click()
    cell = page.get_by_role("rowheader").first
    expect(cell).to_have_attribute("aria-invalid", "true")
    expect(changes.get_by_role("alert")).to_contain_text("name")
    visitor.check()
    changes.get_by_role("button", name="Discard all").click()
    expect(cell).not_to_have_attribute("aria-invalid", "true")
    expect(cell).to_have_text(first)


@step
def references_are_picked_and_children_added_below_their_parent(visitor):
    page = visitor.open("/authors?limit=4")
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="Victor Hugo"))
    row.get_by_role("link", name="France", exact=True).focus()
    page.keyboard.press("F2")
    expect(page.get_by_role("combobox", name="countryCode")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("irel")
    expect(page.get_by_role("listbox", name="countries").get_by_role("option")).to_have_text([re.compile("Ireland")])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    row.get_by_role("button", name=re.compile("^books ")).click()
    page.get_by_role("button", name="Add to books").click()
    page.get_by_role("textbox", name="title").fill("Ninety-Three")
    visitor.check()
    visitor.picture("editing")
    page.get_by_role("region", name="New in books").get_by_role("button", name="Add").click()
    changes = page.get_by_role("region", name="Changes")
    expect(changes).to_contain_text('PATCH /authors/3 {"countryCode":"IE"}')
    expect(changes).to_contain_text('POST /authors/3/books {"title":"Ninety-Three"}')
    changes.get_by_role("button", name="Apply 2 changes").click()
    expect(row.get_by_role("link", name="Ireland", exact=True)).to_be_visible()
    expect(page.get_by_text("5 of 6", exact=True)).to_be_visible()
    visitor.write("PATCH", "/authors/3", {"countryCode": "FR"})
    visitor.write("DELETE", "/books?title=Ninety-Three", None)


@step
def groups_are_drawn_and_counted(visitor):
    page = visitor.open("/books?fields=decade:year/10*10,n:count()&group=year/10*10&sort=decade")
    expect(page.get_by_role("img", name="n, as in the table below")).to_be_visible()
    visitor.picture("chart")
    visitor.check()
    page = visitor.open("/books")
    page.get_by_role("button", name="Menu of authorId").click()
    page.get_by_role("menuitem", name="Top values").click()
    facet = page.get_by_role("dialog", name="Top values of authorId")
    facet.get_by_role("combobox", name="Values of").select_option("author.name")
    most = visitor.json("/books?fields=name:author.name,n:count()&group=author.name&sort=-n&limit=1")[0]
    expect(facet.get_by_role("listitem").first).to_contain_text(f"{most['name']}{most['n']}")
    visitor.check()
    facet.get_by_role("button", name=most["name"], exact=True).click()
    visitor.address(r"/books\?filter=author\.name")


@step
def what_repeats_below_itself_is_a_tree(visitor):
    page = visitor.open("/employees?filter=reportsTo is null&include=team:employeesByReportsTo*")
    page.get_by_role("button", name="Tree").click()
    tree = page.get_by_role("tree", name="employees")
    count = tree.get_by_role("treeitem").count()
    assert count == visitor.json("/employees?fields=n:count()")[0]["n"], count
    visitor.picture("tree")
    visitor.check()
    tree.get_by_role("treeitem").first.focus()
    page.keyboard.press("ArrowLeft")
    # Those who report to nobody.
    expect(tree.get_by_role("treeitem")).to_have_count(2)


@step
def signing_in_repeats_the_request(visitor):
    with tempfile.TemporaryDirectory() as folder:
        model, configuration = Path(folder, "model.yaml"), Path(folder, "kindred.yaml")
        model.write_text("access: { read: {} }\nresources:\n  authors:\n    access: { read: { roles: [reader] } }\n")
        configuration.write_text("access:\n  keys:\n    - { key: sesame, roles: [reader] }\n")
        with serving(visitor.command, "--model", model, "--config", configuration) as visitor.origin:
            page = visitor.open("/authors?limit=3")
            visitor.check()
            page.get_by_label("Token").fill("sesame")
            page.get_by_role("dialog", name="Sign in").get_by_role("button", name="Sign in").click()
            expect(page.get_by_role("rowheader", name="Victor Hugo")).to_be_visible()
            assert "sesame" not in page.url, page.url
            with page.expect_download() as download:
                page.get_by_role("link", name="NDJSON", exact=True).click()
            assert "Victor Hugo" in Path(download.value.path()).read_text()


@step
def pages_are_complete_without_scripts(visitor):
    page = visitor.open("/authors?include=books&limit=2")
    expect(page.get_by_role("table", name="books of Herman Melville")).to_contain_text("Moby-Dick")
    page.get_by_role("link", name="next", exact=True).click()
    expect(page.get_by_role("rowheader", name="Victor Hugo")).to_be_visible()


def attempt(one, browser, origin, command, scheme, pictures):
    """Takes a step as a new visitor; returns what went wrong."""
    plain = "without_scripts" in one.__name__
    visitor = Visitor(browser, origin, pictures, color_scheme=scheme, java_script_enabled=not plain)
    visitor.command = command
    try:
        one(visitor)
        if plain:
            assert not visitor.problems, visitor.problems
        else:
            visitor.check()
    except Exception as problem:  # one that fails must not end the others
        return str(problem).split("Aria snapshot")[0] or repr(problem)
    finally:
        visitor.context.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kindred")
    parser.add_argument("--screenshots", type=Path, help="where pictures go")
    parser.add_argument("--light", action="store_true", help="the light theme only")
    parser.add_argument("--only", default="", metavar="REGEX", help="some of the steps")
    options = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    # Root has no sandbox.
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    # A machine that builds something else meanwhile is slow.
    expect.set_options(timeout=15000)
    failures = 0
    with serving(options.kindred, "--writable") as origin, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=sandbox)
        for scheme in ("light",) if options.light else ("light", "dark"):
            for one in filter(lambda one: re.search(options.only, one.__name__), STEPS):
                name = one.__name__.replace("_", " ")
                pictures = options.screenshots if scheme == "light" else None
                visit = [one, browser, origin, options.kindred, scheme, pictures]
                # How long a machine takes is nobody's mistake; a mistake fails twice.
                problem = attempt(*visit)
                if problem:
                    print(f"once {name}, {scheme}: {problem}", flush=True)
                    problem = attempt(*visit)
                failures += problem is not None
                print(f"FAIL {name}, {scheme}: {problem}" if problem else f"ok   {name}, {scheme}", flush=True)
        browser.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
