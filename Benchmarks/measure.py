#!/usr/bin/env python3
"""The steps of the benchmark; see `run`. Servers of one table are up together and take turns, so that the ratios hold
although the machine's speed drifts."""
import json, os, re, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
from servers import PORT, ROUTES, SECONDS, CLIENTS, kindred, library, median, nginx, peer, table, writable

AUTHORS, REPEATS = int(os.environ.get("AUTHORS", "10000")), int(os.environ.get("REPEATS", "3"))


def without_nulls(value):
    """GRDB's records leave nulls out."""
    if isinstance(value, dict): return {k: without_nulls(v) for k, v in value.items() if v is not None}
    return [without_nulls(v) for v in value] if isinstance(value, list) else value


def body(server, path): return server.get(path.replace("{id}", "1"))[2]


def check():
    """Both say the same."""
    with kindred(library(AUTHORS)) as ours, peer(library(AUTHORS)) as theirs:
        for name, (_, path, peer_path) in ROUTES.items():
            left, right = (without_nulls(json.loads(body(*x))) for x in ((ours, path), (theirs, peer_path)))
            print(f"{name}: {'equal' if left == right else '!! the answers differ'}")


def requests():
    """Requests per second and processor time per request; Kindred with a rollback journal, in WAL mode, and with its cache."""
    names = [name for name in ROUTES if name != "d"]
    with (kindred(library(AUTHORS)) as ours, kindred(library(AUTHORS, wal=True), PORT + 3) as ours_in_wal_mode,
          kindred(library(AUTHORS), PORT + 4, caches=True) as ours_cached, peer(library(AUTHORS)) as theirs):
        files = {name: body(ours, ROUTES[name][1]) for name in names if name != "hello"}
        still = nginx(files)
        rows = []
        for name in names:
            what, path, peer_path = ROUTES[name]
            paths = {ours: path, ours_in_wal_mode: path, ours_cached: path, theirs: peer_path, **({still: f"/{name}"} if still else {})}
            for server in paths: server.load(paths[server], seconds=1)
            runs = {server: [] for server in paths}
            for _ in range(REPEATS):
                for server in paths: runs[server].append(server.load(paths[server]))
            best = {s: {key: median(run[key] for run in runs[s]) for key in runs[s][0]} for s in paths}
            for server, value in best.items():
                base = best[theirs]
                rows.append((name if server is ours else "", what if server is ours else "", server.name,
                             f"{value['rate']:,.0f}", f"{value['cpu']:,.1f}", f"{value['p50']:.2f}", f"{value['p99']:.2f}",
                             f"{value['rate'] / base['rate']:.1f}", f"{base['cpu'] / value['cpu']:.1f}"))
        if still: still.stop()
    print(f"\n{AUTHORS:,} authors, wrk -t1 -c{CLIENTS} -d{SECONDS}s, medians of {REPEATS}; nginx sends the same bytes from files")
    table(("", "request", "server", "req/s", "CPU µs/request", "p50 ms", "p99 ms", "× the peer's req/s", "× less CPU"), rows)


def whole():
    """All of the library in one answer: time, first byte, memory, with one client and with many."""
    rows = []
    for make, path in ((kindred, ROUTES["d"][1]), (peer, ROUTES["d"][2])):
        with make(library(AUTHORS)) as server:
            server.get(path.replace("1000000", "10"))
            idle = server.memory("VmRSS")
            runs = [server.get(path) for _ in range(max(5, REPEATS))]
            one = server.memory() - idle
            server.load(path)
            rows.append((server.name, len(runs[0][2]), median(r[0] for r in runs) * 1000, median(r[1] for r in runs) * 1000,
                         idle, one, server.memory() - idle))
    print(f"\nall of {AUTHORS:,} authors with books and bookCount: {rows[0][1]:,} bytes, one client; then {CLIENTS} clients at once")
    table(("server", "ms", "first byte ms", "idle MiB", "above idle MiB", f"with {CLIENTS} clients MiB"),
          [(r[0], *(f"{x:.1f}" for x in r[2:])) for r in rows])
    a, b = rows
    print(f"Kindred takes 1/{b[2] / a[2]:.1f} of the time, the first byte comes after 1/{b[3] / a[3]:.0f}, memory is 1/{b[5] / max(a[5], 0.1):.0f}")


def growth():
    """The same with 1, 10 and 100 times the data; the last column without the index on the foreign key."""
    rows = []
    for authors in (AUTHORS // 10, AUTHORS, AUTHORS * 10):
        row = [f"{authors:,}"]
        for make, column in ((kindred, 1), (peer, 2)):
            with make(library(authors)) as server:
                idle = server.memory("VmRSS")
                d = median(server.get(ROUTES["d"][column])[0] for _ in range(3))
                memory = server.memory() - idle
                c, g = (median(server.get(ROUTES[n][column])[0] for _ in range(7)) for n in "cg")
                row += [f"{d * 1000:,.1f}", f"{d / authors * 1e6:.2f}", f"{memory:.0f}", f"{c * 1000:.2f}", f"{g * 1000:,.2f}"]
        with kindred(library(authors, without_index=True)) as server:
            d = [server.get(ROUTES["d"][1])[0] for _ in range(3)]
            row.append(f"{d[0] * 1000:,.1f}, then {median(d[1:]) * 1000:,.1f}")
        rows.append(row)
    head = ("d ms", "d µs/author", "d MiB", "c ms", "g ms")
    table(("authors", *(f"Kindred {h}" for h in head), *(f"GRDB {h}" for h in head), "d without index"), rows)


def depth():
    """A page deep in a collection, by the cursor of the page before it and by offset."""
    with kindred(library(AUTHORS)) as server:
        rows = []
        books = 5 * AUTHORS
        for sort, what in (("", "by key"), ("&sort=authorId", "by an indexed column")):
            for place in (0, books // 100, books - 200):
                link = server.get(f"/books?limit=100&offset={max(place - 100, 0)}{sort}")[3].headers["Link"]
                path = re.search(r'<([^>]*)>; rel="next"', link)[1] if place else f"/books?limit=100{sort}"
                by_cursor = median(server.get(path)[0] for _ in range(15))
                by_offset = median(server.get(f"/books?limit=100&offset={place}{sort}")[0] for _ in range(15))
                rows.append((what, f"{place:,}", f"{by_cursor * 1e3:.2f}", f"{by_offset * 1e3:.2f}"))
    table(("order", "records before the page", "cursor ms", "offset ms"), rows)


def writes():
    """Insertions and increments by many clients, and what insertions and reads leave of one another when both run at full rate."""
    rows = []
    book = '{"authorId":{id},"title":"A book","kind":"novel","year":1900,"price":9.5}'
    kinds = {"insert": ("/books", {"content": book}),
             "increment": ("/books/{id}?set=price:price%2B1", {"method": "PATCH"})}
    figures = lambda runs: [f"{median(run[key] for run in runs):,.1f}" for key in runs[0]]
    for durability in ("full", "normal"):
        with writable(library(AUTHORS), durability) as server:
            for what, (path, options) in kinds.items():
                for clients in ("1", CLIENTS):
                    runs = [server.load(path, clients=clients, **options) for _ in range(REPEATS)]
                    rows.append((what, server.name, durability, clients, *figures(runs)))
    # How GRDB's pool synchronises is GRDB's choice.
    with peer(library(AUTHORS)) as server:
        for clients in ("1", CLIENTS):
            runs = [server.load("/increment/{id}", clients=clients, method="PATCH") for _ in range(REPEATS)]
            rows.append(("increment", server.name, "its own", clients, *figures(runs)))
    table(("what", "server", "durability", "clients", "writes/s", "CPU µs/write", "p50 ms", "p99 ms"), rows)
    rows = []
    for name in "bc":
        what, path, _ = ROUTES[name]
        shares = []
        with writable(library(AUTHORS)) as server:
            for _ in range(REPEATS):
                reads, inserts = server.load(path)["rate"], server.load("/books", book)["rate"]
                with ThreadPoolExecutor() as pool:
                    both = [pool.submit(server.load, *x, rests=False) for x in ((path,), ("/books", book))]
                    shares.append((both[0].result()["rate"] / reads, both[1].result()["rate"] / inserts))
        rows.append((what, *(f"{median(x):.2f}" for x in zip(*shares)), f"{median(map(sum, shares)):.2f}"))
    print("reads beside inserts; if the sum is 1 or more, none takes more than its share of the processor")
    table(("request", "reads/s beside inserts, of those alone", "inserts/s, of those alone", "sum"), rows)


def start():
    """From the start of the process to the first answer."""
    rows = []
    for make in (kindred, peer):
        times = []
        for _ in range(5):
            with make(library(AUTHORS)) as server: times.append(server.start_time); name, memory = server.name, server.memory("VmRSS")
        rows.append((name, f"{median(times) * 1000:.0f}", f"{memory:.1f}"))
    sizes = [os.path.getsize(os.environ[key]) / 1e6 for key in ("KINDRED", "PEER")]
    table(("server", "start to first answer ms", "memory MiB", "binary MB"), [(*row, f"{size:.1f}") for row, size in zip(rows, sizes)])


def hotpath():
    """In process against a C program that only steps statements and escapes bytes."""
    subprocess.run([os.environ["HOTPATH"], library(AUTHORS), "--check"], check=True)


def swift():
    """The Swift API and GRDB in one process, in turns, with 1, 10 and 100 times the data."""
    for authors in (AUTHORS // 10, AUTHORS, AUTHORS * 10):
        print(f"\n{authors:,} authors", flush=True)
        subprocess.run([os.environ["SIDEBYSIDE"], library(authors), str(max(5, REPEATS))], check=True)


if __name__ == "__main__":
    steps = dict(check=check, requests=requests, whole=whole, growth=growth, depth=depth, writes=writes, start=start, hotpath=hotpath,
                 swift=swift)
    for name in sys.argv[1:] or steps:
        if name not in steps: sys.exit(f"there is no step {name}: {' '.join(steps)}")
        print(f"\n## {name}", flush=True)
        steps[name]()
