#!/usr/bin/env python3
"""A page whose associations have no index, after each commit of another process:  Benchmarks/missing-index.py [KINDRED]

150,000 posts, 300,000 comments and 500,000 votes, without indexes on the foreign keys. Fails above 0.2 s."""
import os, re, sqlite3, statistics, subprocess, sys, tempfile, time, urllib.request

here = os.path.dirname(os.path.abspath(__file__))
KINDRED = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../.build/release/kindred")
PATH, LIMIT, ROUNDS = "/posts?include=comments,votes&limit=20", 0.2, 10


def fill(path):
    db = sqlite3.connect(path)
    db.executescript("""PRAGMA journal_mode = WAL;
        CREATE TABLE post (id INTEGER PRIMARY KEY, title TEXT);
        CREATE TABLE comment (id INTEGER PRIMARY KEY, postId INTEGER REFERENCES post(id), text TEXT);
        CREATE TABLE vote (id INTEGER PRIMARY KEY, postId INTEGER REFERENCES post(id), kind INTEGER);
        CREATE TABLE other (id INTEGER PRIMARY KEY, n INTEGER);""")
    db.executemany("INSERT INTO post VALUES (?, ?)", ((n, f"post {n}") for n in range(150_000)))
    db.executemany("INSERT INTO comment VALUES (?, ?, ?)", ((n, n * 7919 % 150_000, f"comment {n}") for n in range(300_000)))
    db.executemany("INSERT INTO vote VALUES (?, ?, ?)", ((n, n * 104_729 % 150_000, n % 5) for n in range(500_000)))
    db.commit()
    return db


def timed(url):
    start = time.perf_counter()
    with urllib.request.urlopen(url) as answer: answer.read()
    return time.perf_counter() - start


def main():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "posts.sqlite")
        db = fill(path)
        server = subprocess.Popen([KINDRED, "serve", path, "--port", "0", "--no-log-requests", "--response-cache", "0"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            url = re.search(r"http://\S+", server.stdout.readline())[0] + PATH
            timed(url)
            first, second, third = [], [], []
            for number in range(ROUNDS):
                with db: db.execute("INSERT INTO other (n) VALUES (?)", (number,))
                for times in (first, second, third): times.append(timed(url))
        finally:
            server.terminate()
            server.wait()
        for name, times in (("after a commit", first), ("once more", second), ("from then on", third)):
            print(f"{name}: {statistics.median(times) * 1000:.1f} ms, at most {max(times) * 1000:.1f} ms")
        return 0 if statistics.median(first) <= LIMIT else 1


if __name__ == "__main__": sys.exit(main())
