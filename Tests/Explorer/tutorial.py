"""The page that the tutorial ends with, on a server as the tutorial configures it."""
from playwright.sync_api import expect

from browsers import DOCS, SHOWN, configured
from visitor import step


@step
def the_page_of_the_tutorial_shows_and_adds_tasks(visitor):
    with configured(visitor.command, (DOCS / "tutorial.md").read_text(), "tasks.db") as (directory, origin, url):
        index = directory / "index.html"
        index.write_text(index.read_text().replace(SHOWN, url))
        windows = [visitor.context.browser.new_page() for _ in range(2)]
        for window in windows:
            window.goto(origin)
            expect(window.get_by_role("listitem")).to_have_text(["Dig ✓", "Sow", "Paint"])
        windows[0].once("dialog", lambda dialog: dialog.accept("Water"))
        windows[0].get_by_role("button", name="Add to Garden").click()
        for window in windows:
            expect(window.get_by_role("listitem")).to_have_text(["Dig ✓", "Sow", "Water", "Paint"])
            window.close()
    # What is looked at after each step is the explorer.
    visitor.open("/")
