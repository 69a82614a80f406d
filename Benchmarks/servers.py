"""Servers that are measured: how they are started, what they have used, how they are asked."""
import http.client, os, re, shutil, signal, sqlite3, statistics, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.environ["BENCHMARK_FILES"]
PORT = int(os.environ.get("PORT", "8390"))
SECONDS, CLIENTS = os.environ.get("SECONDS_EACH", "5"), os.environ.get("CLIENTS", "32")

ROUTES = {  # what it is, Kindred's path, the peer's
    "hello": ("a fixed answer", "/-/health", "/hello"),
    "b": ("a book with its author", "/books/{id}?include=author", "/b/{id}"),
    "c": ("100 authors, their books and bookCount", "/authors?limit=100&include=books&annotate=bookCount", "/c"),
    "e": ("100 authors > books > reviews", "/authors?limit=100&include=books.reviews", "/e"),
    "f": ("100 books > author > country", "/books?limit=100&include=author.country", "/f"),
    "g": ("the 100 authors of most books, three aggregates",
          "/authors?having=books.count%3E=5&annotate=bookCount,maxBookYear,paintingCount&sort=-bookCount&limit=100", "/g"),
    "d": ("all authors, their books and bookCount",
          "/authors?limit=1000000&include=books&annotate=bookCount", "/d"),
}


def library(authors, without_index=False, wal=False):
    """The database, made where it is not there yet; with a rollback journal, or in WAL mode."""
    if wal:
        source, path = library(authors, without_index), f"{FILES}/wal-{authors}{'-without-index' if without_index else ''}.sqlite"
        if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(source):
            shutil.copy(source, path)
            database = sqlite3.connect(path)
            database.execute("PRAGMA journal_mode = WAL")
            database.close()
        return path
    path = f"{FILES}/library-{authors}{'-without-index' if without_index else ''}.sqlite"
    script = f"{HERE}/library.py"
    if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(script):
        flags = ["--without-index"] if without_index else []
        subprocess.run([sys.executable, script, path, "--authors", str(authors), *flags], check=True)
    return path


class Server:
    def __init__(self, name, command, port, first="/"):
        self.name, self.port = name, port
        log = open(f"{FILES}/{name}.log", "w")
        self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        started = time.perf_counter()
        while True:
            try:
                self.get(first)
                break
            except OSError:
                if self.process.poll() is not None: sys.exit(f"{name} has ended: see {FILES}/{name}.log")
                time.sleep(0.0005)
        self.start_time = time.perf_counter() - started

    def stop(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try: self.process.wait(10)
            except subprocess.TimeoutExpired: os.killpg(self.process.pid, signal.SIGKILL); self.process.wait()

    def __enter__(self): return self
    def __exit__(self, *_): self.stop()

    def processes(self):
        children = open(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read().split()
        return [self.process.pid, *map(int, children)]

    def cpu(self):
        """Seconds of processor that it has used, by the scheduler's statistics, with threads that have ended."""
        # The clock of a process (clock_getcpuclockid(3)); /proc/PID/stat counts in steps of ten milliseconds.
        return sum(time.clock_gettime(~process << 3 | 2) for process in self.processes())

    def memory(self, field="VmHWM"):
        """Its most memory so far, in MiB; VmRSS: its memory now."""
        status = [open(f"/proc/{process}/status").read() for process in self.processes()]
        return sum(int(re.search(rf"{field}:\s+(\d+)", text)[1]) for text in status) / 1024

    def rest(self):
        """Waits until it has nothing to do."""
        for _ in range(100):
            before = self.cpu()
            time.sleep(0.1)
            if self.cpu() - before <= 0.005: return

    def get(self, path, headers={}):
        """Seconds to the last byte, seconds to the first, the body, the response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.connect()
            start = time.perf_counter()
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            first = time.perf_counter() - start
            body = response.read()
            return time.perf_counter() - start, first, body, response
        finally: connection.close()

    def load(self, path, content=None, seconds=SECONDS, clients=CLIENTS, threads=1, rests=True, method=None):
        """wrk, which sends GETs, posts a content, or sends another method without one: requests per second, processor time per request in microseconds, latencies in milliseconds."""
        if rests: self.rest()
        before = self.cpu()
        out = subprocess.run(
            ["wrk", f"-t{threads}", f"-c{clients}", f"-d{seconds}s", "--timeout", "60s", "-s", f"{HERE}/rotate.lua",
             f"http://127.0.0.1:{self.port}", "--", path, *([content] if content else []),
             *(["", method] if method else [])], capture_output=True, text=True).stdout
        count, duration, half, most, errors = map(float, re.search(r"RESULT (.*)", out)[1].split())
        if errors: print(f"!! {self.name}: {errors:.0f} errors at {path}", flush=True)
        count = max(count, 1)
        return {"rate": count / duration * 1e6, "cpu": (self.cpu() - before) / count * 1e6,
                "p50": half / 1000, "p99": most / 1000}


def kindred(database, port=PORT, *options, caches=False):
    """Kindred without a log of requests, as nginx and the peer have none, and without its cache, which would answer nearly
    all requests of a benchmark."""
    with open(database, "rb") as file: mode = file.read(20)[18]
    journal = "WAL" if mode == 2 or "--writable" in options else "rollback journal"
    return Server(f"Kindred, {journal}{', responses cached' if caches else ''}",
                  [os.environ["KINDRED"], "serve", database, "--port", str(port), "--max-page-size", "0", "--no-log-requests",
                   *(() if caches else ("--response-cache", "0")), *options], port, "/-/health")


def writable(database, durability="full"):
    """Kindred on a copy, to which clients may write."""
    own = database.replace("library-", "written-")
    for end in ("-wal", "-shm"):
        if os.path.exists(own + end): os.remove(own + end)
    shutil.copy(database, own)
    return kindred(own, PORT, "--writable", "--durability", durability)


def peer(database, port=PORT + 1):
    # GRDB's pool turns a database to WAL: a copy is its own.
    own = database.replace("library-", "peer-")
    if not os.path.exists(own) or os.path.getmtime(own) < os.path.getmtime(database): shutil.copy(database, own)
    return Server("GRDB + Hummingbird, WAL", [os.environ["PEER"], own, str(port)], port, "/hello")


def nginx(files, port=PORT + 2):
    """Sends files: the least that a server can do. None where it is not installed."""
    program = shutil.which("nginx") or (os.path.exists("/usr/sbin/nginx") and "/usr/sbin/nginx")
    if not program: return None
    directory = f"{FILES}/nginx"
    os.makedirs(f"{directory}/www", exist_ok=True)
    for name, body in files.items():
        with open(f"{directory}/www/{name}", "wb") as file: file.write(body)
    temporary = "".join(f"{kind}_temp_path {directory}/{kind}; " for kind in (
        "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(f"{directory}/nginx.conf", "w") as file:
        file.write(f"""daemon off; worker_processes 2; pid {directory}/pid; error_log {directory}/error.log;
events {{ }}
http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; default_type application/json;
  open_file_cache max=100; open_file_cache_valid 1h; {temporary}
  server {{ listen 127.0.0.1:{port}; root {directory}/www; location = /hello {{ return 200 '{{"status":"ok"}}'; }} }} }}
""")
    return Server("nginx", [program, "-p", directory, "-c", f"{directory}/nginx.conf"], port, "/hello")


def median(values): return statistics.median(values)


def table(head, rows):
    print("\n| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows: print("| " + " | ".join(str(cell) for cell in row) + " |")
    print(flush=True)
