"""The scripts of the page on browsers, in a page of another origin than the server's."""
import contextlib
import functools
import http.server
import re
import subprocess
import tempfile
import threading
from pathlib import Path

from visitor import step

DOCS = Path(__file__).resolve().parents[2] / "docs"
# The server of the documentation.
SHOWN = "http://127.0.0.1:8080"


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def configured(program, text, database):
    """The files of a page of the documentation, an origin that has them, and the URL of the server that they configure."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        directory = Path(name)
        for name, content in re.findall(r'(?ms)^```\w+ title="([^"]+)"\n(.*?)^```$', text):
            file = directory / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(content)
        pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=directory))
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        stack.callback(pages.shutdown)
        origin = f"http://localhost:{pages.server_port}"
        program = Path(program).resolve()
        subprocess.run([program, "migrate", database, "--migrations", "migrations"], cwd=directory, check=True,
                       stdout=subprocess.DEVNULL)
        server = subprocess.Popen([program, "serve", "--config", "kindred.yaml", "--cors-origins", origin, "--port", "0"],
                                  cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        stack.callback(server.wait)
        stack.callback(server.terminate)
        url = server.stdout.readline().split()[-1]
        yield directory, origin, url


@step
def the_scripts_for_browsers_print_what_is_shown(visitor):
    text = (DOCS / "browsers.md").read_text()
    script, shown = ("".join(re.findall(rf"(?ms)^```{language}\n(.*?)^```$", text)) for language in ("js", "text"))
    with configured(visitor.command, text, "music.db") as (directory, origin, url):
        (directory / "page.html").write_text(
            "<!DOCTYPE html><meta charset=utf-8><link rel=icon href=data:,><script type=module>\n"
            + script.replace(SHOWN, url) + "</script>")
        page = visitor.context.browser.new_page()
        printed, errors = [], []
        # A refused request is an error of the console, and what some scripts are about.
        page.on("console", lambda message: message.type == "log" and printed.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{origin}/page.html")
        for _ in range(150):
            if errors or len(printed) >= len(shown.splitlines()):
                break
            page.wait_for_timeout(100)
        page.close()
    assert not errors and printed == shown.splitlines(), f"{errors} {printed}"
    # What is looked at after each step is the explorer.
    visitor.open("/")
