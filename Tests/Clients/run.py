"""Runs the clients against the sample library: Tests/Clients/run.py PROGRAM, in an environment with requirements.txt."""
import asyncio
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
PROGRAM = str(Path(sys.argv[1]).resolve())
TOOLS = Path(sys.executable).parent


def run(*arguments, directory, **environment):
    done = subprocess.run([str(a) for a in arguments], cwd=directory, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env=os.environ | {"NO_COLOR": "1", "PATH": f"{TOOLS}:{os.environ['PATH']}"} | environment)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, arguments))}: {done.stdout}{done.stderr}")
    return done.stdout


def blocks(language, page="clients.md"):
    """The samples of a page of the documentation in a language."""
    return re.findall(rf"```{language}\n(.*?)```", (TOP / "docs" / page).read_text(), re.S)


@contextlib.contextmanager
def serving(directory, *arguments):
    """A server, by its URL."""
    server = subprocess.Popen([PROGRAM, "serve", *arguments, "--port", "0", "--log-level", "error"],
                              cwd=directory, stdout=subprocess.PIPE, text=True)
    try:
        yield server.stdout.readline().split()[-1]
    finally:
        server.terminate()
        server.wait()


def typescript(directory, url):
    """The client, the adapter and the samples compile, and do what they say."""
    tests, examples = directory / "Tests" / "Clients", directory / "Examples"
    shutil.copytree(HERE, tests)
    shutil.copytree(TOP / "Examples", examples)
    (tests / "kindred.ts").write_text(run(PROGRAM, "client", "typescript", url, directory=directory))
    strict(tests, url)
    for number, sample in enumerate(blocks("ts")):
        (tests / f"sample{number}.ts").write_text(sample.replace('"../Examples', '"../../Examples'))
    run("deno", "check", "--no-config", *tests.glob("*.ts"), examples / "react-admin.ts", directory=directory)
    run("deno", "test", "--no-config", "--no-check", "--allow-net=127.0.0.1", "--allow-env=SERVER", tests,
        directory=directory, SERVER=url)


# `@tsconfig/strictest`, and what Angular's and Vite's templates set.
STRICTEST = {name: True for name in """strict exactOptionalPropertyTypes noUncheckedIndexedAccess noImplicitOverride noImplicitReturns
    noPropertyAccessFromIndexSignature noFallthroughCasesInSwitch noUnusedLocals noUnusedParameters verbatimModuleSyntax
    isolatedModules erasableSyntaxOnly""".split()} | {"allowUnusedLabels": False, "allowUnreachableCode": False}


def strict(tests, url):
    """Each form of the printed file compiles under every strictness flag."""
    options = STRICTEST | {"lib": ["es2022", "dom", "dom.iterable"]}
    for flags in ([], ["--integers", "text"], ["--react"]):
        folder = tests / "strict" / "".join(flags)
        folder.mkdir(parents=True)
        (folder / "kindred.ts").write_text(run(PROGRAM, "client", "typescript", url, *flags, directory=tests))
        shutil.copy(HERE / "hooks.d.ts", folder)
        imports = {"react": "./hooks.d.ts"}
        (folder / "deno.json").write_text(json.dumps({"compilerOptions": options, "imports": imports}))
        run("deno", "check", "kindred.ts", directory=folder)
    shutil.rmtree(tests / "strict")


def react(directory, url):
    """The files of the page for React compile against the printed client."""
    folder = directory / "react"
    page = (TOP / "docs" / "react.md").read_text()
    files = re.findall(r'```\w+ title="([^"]+\.tsx?)"\n(.*?)```', page, re.S)
    assert len(files) == 6, [name for name, _ in files]
    for name, content in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    (folder / "src" / "kindred.ts").write_text(run(PROGRAM, "client", "typescript", url, "--react", directory=directory))
    for name in ("hooks.d.ts", "jsx-runtime.d.ts"):
        shutil.copy(HERE / name, folder)
    options = {"strict": True, "exactOptionalPropertyTypes": True, "noUnusedLocals": True, "jsx": "react-jsx",
               "lib": ["es2022", "dom", "dom.iterable"]}
    imports = {"react": "./hooks.d.ts", "react/jsx-runtime": "./jsx-runtime.d.ts"}
    (folder / "deno.json").write_text(json.dumps({"compilerOptions": options, "imports": imports}))
    run("deno", "check", *[name for name, _ in files], directory=folder)


def browsers(directory, _):
    """The scripts for pages print what the documentation shows."""
    page = (TOP / "docs" / "browsers.md").read_text()
    for name, content in re.findall(r'```\w+ title="([^"]+)"\n(.*?)```', page, re.S):
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(content)
    run(PROGRAM, "migrate", "music.db", "--migrations", "migrations", directory=directory)
    with serving(directory, "--config", "kindred.yaml") as url:
        script = "".join(blocks("js", "browsers.md"))
        (directory / "page.js").write_text(script.replace("http://127.0.0.1:8080", url))
        printed = run("deno", "run", "--no-config", "--allow-net=127.0.0.1", "page.js", directory=directory)
    assert printed == "".join(blocks("text", "browsers.md")), printed


def swift(directory, url):
    """The record types are syntax that the compiler takes."""
    if shutil.which("swiftc"):
        (directory / "Records.swift").write_text(run(PROGRAM, "client", "swift", url, directory=directory))
        run("swiftc", "-frontend", "-parse", "Records.swift", directory=directory)


def openapi(directory, url):
    """Validators of OpenAPI accept the document (one of them needs Java), and the document accepts what is answered."""
    from openapi_spec_validator import validate
    with urllib.request.urlopen(f"{url}/-/openapi.json") as response:
        document = json.load(response)
    validate(document)
    answered(document, url)
    ranges(document, url)
    if shutil.which("java"):
        (directory / "openapi.json").write_text(json.dumps(document))
        run("openapi-generator-cli", "validate", "-i", "openapi.json", directory=directory)


def answered(document, url):
    """The records of each resource with each of its associations, and all of them, are valid by the document."""
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource
    from referencing.jsonschema import DRAFT202012
    registry = Registry().with_resource("urn:api", Resource.from_contents(document, default_specification=DRAFT202012))
    with urllib.request.urlopen(f"{url}/-/schema") as response:
        resources = json.load(response)["resources"]
    absent = 0
    for resource in resources:
        keys = [association["key"] for association in resource["associations"]]
        path = f"/{urllib.parse.quote(resource['name'])}"
        pointer = f"#/paths/{path.replace('/', '~1')}/get/responses/200/content/application~1json/schema"
        validator = Draft202012Validator({"$ref": f"urn:api{pointer}"}, registry=registry)
        for include in ["", *keys, ",".join(keys)]:
            query = urllib.parse.urlencode({"limit": 1000} | ({"include": include} if include else {}))
            with urllib.request.urlopen(f"{url}{path}?{query}") as response:
                records = json.load(response)
            for error in validator.iter_errors(records):
                raise AssertionError(f"{path}?{query}: {list(error.absolute_path)}: {error.message[:200]}")
            absent += sum(record.get(key, 0) is None for record in records for key in keys)
    assert absent > 0, "no to-one association is absent"


def ranges(document, url):
    """Just beyond the range that the document gives an integer, the server refuses it."""
    tried = 0
    for name, schema in document["components"]["schemas"].items():
        path = f"/{name.removesuffix('.new')}"
        if not name.endswith(".new") or path not in document["paths"]:
            continue
        for column, values in schema["properties"].items():
            for number in ([values["minimum"] - 1, values["maximum"] + 1] if "maximum" in values else []):
                content = json.dumps({column: number}).encode()
                fields = {"Content-Type": "application/json", "Prefer": "tx=rollback"}
                try:
                    urllib.request.urlopen(urllib.request.Request(f"{url}{path}", content, fields))
                except urllib.error.HTTPError as error:
                    problem = json.load(error)
                    assert (error.code, problem.get("pointer")) == (422, f"#/{column}"), (path, content, problem)
                    tried += 1
                else:
                    raise AssertionError(f"{path} takes {content!r}")
    assert tried > 10, tried


def shells(directory, url):
    """Each command of the documentation succeeds; `http` is HTTPie."""
    commands = [line for block in blocks("sh") for line in block.splitlines() if re.match(r"curl|http ", line)]
    assert len(commands) > 5, commands
    for command in commands:
        command = command.replace("curl ", "curl --fail-with-body ").replace("http://127.0.0.1:8080", url)
        command = re.sub(r"^http (\w+) :8080", rf"http --check-status --ignore-stdin \1 {url}", command)
        run("sh", "-c", command, directory=directory)


def python(directory, url):
    """The module is right for mypy and does what it says; the samples for notebooks and pandas run."""
    (directory / "kindred.py").write_text(run(PROGRAM, "client", "python", url, directory=directory))
    shutil.copy(HERE / "sample.py", directory)
    shutil.copy(HERE / "refused.py", directory)
    mypy = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports"]
    run(*mypy, "kindred.py", "sample.py", directory=directory)
    # Each mistake has a comment that mypy would call unused if it accepted the line.
    run(*mypy, "refused.py", directory=directory)
    run(sys.executable, "-B", "sample.py", url, directory=directory)
    values = {}
    sys.path.insert(0, str(directory))
    for block in blocks("python"):
        exec(block.replace("http://127.0.0.1:8080", url), values)
    assert [str(values["frame"][name].dtype) for name in ("id", "title", "price")] == ["Int64", "string", "Float64"]
    assert len(values["novels"]) == 3 and values["found"] > 0
    assert list(values["books"].columns) == ["title", "year", "price"]
    assert len(values["everything"]) == len(values["lines"]) >= len(values["books"])
    assert set(values["by_kind"].columns) == {"kind", "n", "mean"}


def grafana(directory, url):
    """The query of Infinity gives rows whose columns are those that it selects."""
    query = json.loads((TOP / "Examples" / "grafana.json").read_text())
    parameters = [(p["key"], p["value"].replace("${__from:date:YYYY}", "1800").replace("${__to:date:YYYY}", "1900"))
                  for p in query["url_options"]["params"]]
    with urllib.request.urlopen(f"{url}{query['url']}?{urllib.parse.urlencode(parameters)}") as response:
        rows = json.load(response)
    assert rows and list(rows[0]) == [column["selector"] for column in query["columns"]], rows[:1]


def assistants(directory, url):
    """The client of the protocol's authors gets what HTTP gives, in both revisions, over HTTP and standard input."""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client
    with urllib.request.urlopen(f"{url}/authors?limit=1&include=books") as response:
        expected = json.load(response)

    async def talk(target, mode, tools):
        async with Client(target, mode=mode) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == tools
            answer = await client.call_tool("fetch", {"url": "/authors?limit=1&include=books"})
            assert answer.structured_content["records"] == expected, answer
            wrong = await client.call_tool("fetch", {"url": "/authors?inclued=books"})
            assert wrong.is_error and "include" in wrong.content[0].text, wrong
            assert (await client.read_resource("kindred://schema")).contents

    reading = {"schema", "complete", "describe", "fetch", "explain"}
    program = StdioServerParameters(command=PROGRAM, args=["mcp", str(directory / "library.sqlite")])
    for mode in ("auto", "legacy"):
        asyncio.run(talk(f"{url}/-/mcp", mode, reading | {"write"}))
        asyncio.run(talk(stdio_client(program), mode, reading))


def main():
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        run(PROGRAM, "migrate", "library.sqlite", "--migrations", TOP / "Migrations", directory=directory)
        with serving(directory, "library.sqlite", "--writable") as url:
            for test in (assistants, typescript, react, browsers, swift, openapi, shells, python, grafana):
                test(directory, url)
                print(f"{test.__name__}: {test.__doc__}", flush=True)


main()
