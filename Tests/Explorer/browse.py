"""The explorer in a browser, on the sample library: the ways that a reader takes, by roles and names.

    python browse.py .build/release/kindred [--screenshots docs/explorer]

Each step ends with: nothing was asked of another host, no policy was broken, no script threw, axe finds nothing.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

VIOLATION = "addEventListener('securitypolicyviolation', e => console.error('CSP: ' + e.violatedDirective))"
STEPS = []


def step(function):
    STEPS.append(function)
    return function


class Visitor:
    """A page, and all that went wrong on it."""

    def __init__(self, browser, origin, pictures, **options):
        self.origin, self.pictures, self.problems = origin, pictures, []
        context = browser.new_context(viewport={"width": 1200, "height": 760}, locale="en-GB", **options)
        context.set_default_timeout(15000)
        context.add_init_script(VIOLATION)
        self.page = context.new_page()
        self.page.on("pageerror", lambda error: self.problems.append(f"a script threw: {error}"))
        self.page.on("console", lambda message: "CSP" in message.text and self.problems.append(message.text))
        self.page.on("request", lambda request: request.url.startswith((origin + "/", "data:", "about:"))
                     or self.problems.append(f"asked of another host: {request.url}"))

    def open(self, target):
        self.page.goto(self.origin + target)
        return self.page

    def address(self, pattern):
        self.page.wait_for_url(re.compile(re.escape(self.origin) + pattern))

    def picture(self, name):
        if self.pictures:
            self.page.screenshot(path=self.pictures / f"{name}.png")

    def check(self):
        found = Axe().run(self.page).response["violations"]
        self.problems += [f"axe: {violation['id']}: {violation['nodes'][0]['html'][:120]}" for violation in found]
        assert not self.problems, "; ".join(self.problems)


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
def pages_are_complete_without_scripts(visitor):
    page = visitor.open("/authors?include=books&limit=2")
    expect(page.get_by_role("table", name="books of Herman Melville")).to_contain_text("Moby-Dick")
    page.get_by_role("link", name="next", exact=True).click()
    expect(page.get_by_role("rowheader", name="Victor Hugo")).to_be_visible()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kindred")
    parser.add_argument("--screenshots", type=Path, help="where pictures go")
    options = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    server = subprocess.Popen([options.kindred, "serve", "--port", "0"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    # Root has no sandbox.
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    failures = 0
    try:
        origin = re.search(r"http\S+", server.stdout.readline())[0]
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=chromium, args=sandbox)
            for scheme in ("light", "dark"):
                for one in STEPS:
                    pictures = options.screenshots if scheme == "light" else None
                    plain = "without_scripts" in one.__name__
                    visitor = Visitor(browser, origin, pictures, color_scheme=scheme, java_script_enabled=not plain)
                    try:
                        one(visitor)
                        if plain:
                            assert not visitor.problems, visitor.problems
                        else:
                            visitor.check()
                        print(f"ok   {one.__name__.replace('_', ' ')}, {scheme}")
                    except Exception as problem:  # one that fails must not end the others
                        failures += 1
                        print(f"FAIL {one.__name__.replace('_', ' ')}, {scheme}: {problem}")
            browser.close()
    finally:
        server.terminate()
        server.wait()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
