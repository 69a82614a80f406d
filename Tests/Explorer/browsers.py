"""The samples of the page on browsers, each in a page of another origin than the server's."""
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


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def configured(program, text, database):
    """The files of a page of the documentation; an origin that has them, and the server that they configure."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        directory = Path(name)
        for name, content in re.findall(r"(?ms)^```\w+ (\S+)\n(.*?)^```$", text):
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
        for file in directory.iterdir():
            if file.suffix in (".html", ".js"):
                file.write_text(file.read_text().replace("http://127.0.0.1:8080", url))
        yield directory, origin


@step
def the_samples_for_browsers_log_what_is_shown(visitor):
    text = (DOCS / "browsers.md").read_text()
    samples = re.findall(r"(?ms)^```js\n(.*?)^```\n\n```\n(.*?)^```$", text)
    assert len(samples) == len(re.findall("(?m)^```js$", text)) > 8
    with configured(visitor.command, text, "albums.db") as (directory, origin):
        for script, shown in samples:
            (directory / "sample.html").write_text(
                f"<!DOCTYPE html><meta charset=utf-8><link rel=icon href=data:,><script type=module>\n{script}</script>")
            page = visitor.context.browser.new_page()
            logged, errors = [], []
            # A refused request is an error of the console, and what some samples are about.
            page.on("console", lambda message: message.type == "log" and logged.append(message.text))
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.goto(f"{origin}/sample.html")
            for _ in range(100):
                if errors or len(logged) >= len(shown.splitlines()):
                    break
                page.wait_for_timeout(100)
            assert not errors, f"{errors}:\n{script}"
            assert logged == shown.splitlines(), f"{logged}:\n{script}"
            page.close()
    # What is looked at after each step is the explorer.
    visitor.open("/")
