"""A browser on a server, and what a step of the tests needs of it."""
import re
import sqlite3
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, expect

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


class Network:
    """What lies between the browser and the server: it delays, fails and loses answers, and refuses a token."""

    def __init__(self, page):
        self.page, self.rules, self.asked = page, [], []
        page.route("**/*", self.handle)

    def handle(self, route):
        request = route.request
        self.asked.append(f"{request.method} {request.url}")
        for rule in self.rules:
            pattern, act = rule
            if re.search(pattern, f"{request.method} {request.url}") and act(route, rule) is not False:
                return
        try:
            route.fallback()
        except Error:
            pass  # overtaken

    def add(self, pattern, act):
        self.rules.append((pattern, act))

    def clear(self):
        self.rules.clear()

    def refuse(self, pattern, status, times=1, **headers):
        """The next answers are problems."""
        left = [times]

        def act(route, rule):
            if left[0] == 0:
                return False
            left[0] -= 1
            body = f'{{"title":"Refused","status":{status},"detail":"refused on purpose"}}'
            route.fulfill(status=status, content_type="application/problem+json", headers=headers, body=body)
        self.add(pattern, act)

    def lose(self, pattern):
        """The next request is answered, but its answer is lost."""
        def act(route, rule):
            self.rules.remove(rule)
            route.fetch()
            route.abort()
        self.add(pattern, act)

    def hold(self, pattern):
        """Requests wait until they are let go."""
        held = []
        self.add(pattern, lambda route, rule: held.append(route))

        def release():
            self.rules = [rule for rule in self.rules if rule[0] != pattern]
            for route in held:
                try:
                    route.fallback()
                except Error:
                    pass  # overtaken
        return release

    def expire(self, token):
        """From now on only this token holds."""
        def act(route, rule):
            if route.request.headers.get("authorization") == f"Bearer {token}" or "/-/explorer/" in route.request.url:
                return False
            route.fulfill(status=401, content_type="application/problem+json", body='{"detail":"the token has expired"}')
        self.add("", act)


def sign_in(page, token="new"):
    dialog = page.get_by_role("dialog", name="Sign in")
    dialog.get_by_label("Token").fill(token)
    dialog.get_by_role("button", name="Sign in").click()
    expect(dialog).to_be_hidden()


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


def scroll(page, distance=1500):
    """Scrolls the records by the wheel."""
    page.mouse.move(600, 400)
    page.mouse.wheel(0, distance)


@contextmanager
def guarded(command, database=None):
    """The origin of a writable server that wants one of two keys, old and new."""
    with tempfile.TemporaryDirectory() as folder:
        model, configuration = Path(folder, "model.yaml"), Path(folder, "kindred.yaml")
        rule = "{ read: { roles: [editor] }, write: { roles: [editor] } }"
        names = ["authors", "books", "reviews", "countries"] if database is None else ["items"]
        model.write_text("access: { read: {} }\nresources:\n" + "".join(f"  {name}:\n    access: {rule}\n" for name in names))
        configuration.write_text("access:\n  operations: [editor]\n  keys:\n    - { key: old, roles: [editor] }\n    - { key: new, roles: [editor] }\n")
        arguments = [] if database is None else [database]
        with serving(command, *arguments, "--writable", "--model", model, "--config", configuration) as origin:
            yield origin


@contextmanager
def large(folder, count=1000):
    """A database of many records."""
    path = Path(folder, "large.db")
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, number INTEGER)")
        database.executemany("INSERT INTO item VALUES (?, ?, ?)",
                             ((n, f"Item {n}", 9007199254740992 + n // 200) for n in range(1, count + 1)))
    yield path


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
