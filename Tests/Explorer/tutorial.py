"""The page that the tutorial ends with, on a server as the tutorial configures it."""
import functools
import http.server
import re
import subprocess
import tempfile
import threading
from pathlib import Path

from playwright.sync_api import expect

from visitor import step

TUTORIAL = Path(__file__).resolve().parents[2] / "docs/tutorial.md"


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@step
def the_page_of_the_tutorial_shows_and_adds_tasks(visitor):
    program = Path(visitor.command).resolve()
    with tempfile.TemporaryDirectory() as directory:
        for name, text in re.findall(r"(?ms)^```\w+ (\S+)\n(.*?)^```$", TUTORIAL.read_text()):
            file = Path(directory) / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=directory))
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        origin = f"http://localhost:{pages.server_port}"
        subprocess.run([program, "migrate", "tasks.db", "--migrations", "migrations"], cwd=directory, check=True,
                       stdout=subprocess.DEVNULL)
        server = subprocess.Popen([program, "serve", "--config", "kindred.yaml", "--cors-origins", origin, "--port", "0"],
                                  cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            url = server.stdout.readline().split()[-1]
            page = Path(directory) / "index.html"
            page.write_text(page.read_text().replace("http://127.0.0.1:8080", url))
            windows = [visitor.context.browser.new_page() for _ in range(2)]
            for window in windows:
                window.goto(origin)
                expect(window.get_by_role("listitem")).to_have_text(["Dig ✓", "Sow", "Paint"])
            windows[0].once("dialog", lambda dialog: dialog.accept("Water"))
            windows[0].get_by_role("button", name="Add to Garden").click()
            for window in windows:
                expect(window.get_by_role("listitem")).to_have_text(["Dig ✓", "Sow", "Water", "Paint"])
                window.close()
        finally:
            server.terminate()
            server.wait()
            pages.shutdown()
    # What is looked at after each step is the explorer.
    visitor.open("/")
