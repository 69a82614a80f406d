"""A browser on a server, and what a step of the tests needs of it."""
import re
import subprocess
from contextlib import contextmanager

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

VIOLATION = "addEventListener('securitypolicyviolation', e => console.error('CSP: ' + e.violatedDirective))"
STEPS = []


def step(function):
    STEPS.append(function)
    return function


class Visitor:
    """A page, and all that went wrong on it."""

    def __init__(self, browser, origin, pictures, **options):
        self.origin, self.pictures, self.problems = origin, pictures, []
        self.context = context = browser.new_context(viewport={"width": 1200, "height": 760}, locale="en-GB", **options)
        context.set_default_timeout(15000)
        context.add_init_script(VIOLATION)
        self.page = context.new_page()
        self.page.on("pageerror", lambda error: self.problems.append(f"a script threw: {error}"))
        self.page.on("console", lambda message: "CSP" in message.text and self.problems.append(message.text))
        self.page.on("request", lambda request: request.url.startswith((self.origin + "/", "data:", "blob:", "about:"))
                     or self.problems.append(f"asked of another host: {request.url}"))

    def open(self, target):
        self.page.goto(self.origin + target)
        return self.page

    def address(self, pattern):
        self.page.wait_for_url(re.compile(re.escape(self.origin) + pattern))

    def json(self, target):
        return self.page.request.get(self.origin + target, headers={"Accept": "application/json"}).json()

    def write(self, method, target, record):
        """Somebody else's change."""
        answer = self.page.request.fetch(self.origin + target, method=method, data=record)
        assert answer.ok, answer.text()

    def picture(self, name):
        if self.pictures:
            self.page.screenshot(path=self.pictures / f"{name}.png")

    def check(self):
        found = Axe().run(self.page).response["violations"]
        self.problems += [f"axe: {violation['id']}: {violation['nodes'][0]['html'][:120]}" for violation in found]
        assert not self.problems, "; ".join(self.problems)


def edit(page, shown, text, role="gridcell"):
    """Writes a text into the first cell that shows another one."""
    cell = page.get_by_role(role, name=shown, exact=True).first
    if role == "rowheader":
        cell.get_by_role("link").focus()
    else:
        cell.click()
    page.keyboard.press("F2")
    field = page.locator(".cell-editor :is(input, textarea)")
    expect(field).to_be_focused()
    field.fill(text)
    page.keyboard.press("Enter")


@contextmanager
def serving(command, *arguments):
    """The origin of a server on the sample library."""
    server = subprocess.Popen([command, "serve", "--port", "0", *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    try:
        yield re.search(r"http\S+", server.stdout.readline())[0]
    finally:
        server.terminate()
        server.wait()
