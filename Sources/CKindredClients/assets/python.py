class Problem(Exception):
    """An answer that isn't a result: `application/problem+json` (RFC 9457), or what no Kindred server says."""

    def __init__(self, status: int, members: Mapping[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.type: str = str(members.get("type") or "about:blank")
        # What follows `#` in the type: "conflict", "unexpected-answer", ….
        self.code: str = self.type.partition("#")[2]
        self.title: str = str(members.get("title") or f"HTTP {status}")
        self.detail: str | None = members.get("detail")
        self.parameter: str | None = members.get("parameter")
        self.position: int | None = members.get("position")
        self.suggestions: list[str] | None = members.get("suggestions")
        self.instance: str | None = members.get("instance")
        self.line: int | None = members.get("line")
        self.pointer: str | None = members.get("pointer")
        self.hint: str | None = members.get("hint")
        # The seconds after which the server asks to try again.
        self.retry_after: float | None = retry_after
        super().__init__(self.detail or self.title)


@dataclass(frozen=True)
class Page(Generic[_T]):
    """Some records, with the cursors of the pages around them, and the number of all where it was counted."""

    records: list[_T]
    next: str | None = None
    prev: str | None = None
    total: int | None = None


class _Tagged(dict[str, Any]):
    """A record that remembers its tag."""

    etag = ""


# Values.


class Expression:
    """An expression with its values in it; see `expression`."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text


_Single = str | int | float | bool | bytes | Decimal | date | UUID | Expression | None
_Bindable = _Single | Sequence[_Single]
_Text = str | Expression


def expression(text: str, *values: _Bindable) -> Expression:
    """Returns an expression whose values are bound as literals: `expression("name like ?", pattern)`."""
    rest = list(values)

    def bound(match: re.Match[str]) -> str:
        if match[0] != "?":
            return match[0]
        if not rest:
            raise ValueError(f"{len(values)} values are too few for {text}")
        value = rest.pop(0)
        if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
            return "(" + ",".join(_literal(one, "a value of an expression") for one in value) + ")"
        literal = _literal(value, "a value of an expression")
        return f"({literal})" if literal.startswith("-") else literal

    bound_text = re.sub(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\?""", bound, text)
    if rest:
        raise ValueError(f"{len(values)} values are too many for {text}")
    return Expression(bound_text)


def _number(value: float | Decimal, name: str) -> str:
    if not (value.is_finite() if isinstance(value, Decimal) else math.isfinite(value)):
        raise ValueError(f"{name} is {value}")
    return f"{value:f}" if isinstance(value, Decimal) else repr(float(value))


def _literal(value: object, name: str) -> str:
    if isinstance(value, Expression):
        return f"({value})"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, (float, Decimal)):
        return _number(value, name)
    if isinstance(value, (bytes, bytearray)):
        return f"x'{value.hex()}'"
    if isinstance(value, (str, date, UUID)):
        return "'" + _plain(value).replace("'", "''") + "'"
    raise TypeError(f"{name} is of the type {type(value).__name__}")


def _plain(value: str | date | UUID) -> str:
    """Returns a value as a text, as `sqlite3` writes it."""
    return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat() if isinstance(value, date) else str(value)


def _json(value: object, name: str = "the content") -> str:
    """Returns the JSON of a content: numbers with all their digits, and never `NaN`."""
    if isinstance(value, (float, Decimal)):
        return _number(value, name)
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{json.dumps(str(key))}:{_json(one, f'`{key}`')}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_json(one, name) for one in value) + "]"
    if isinstance(value, (bytes, bytearray)):
        return f'"{base64.b64encode(value).decode()}"'
    if isinstance(value, (date, UUID)):
        return json.dumps(_plain(value))
    return json.dumps(value)


# Requests.


@dataclass(frozen=True)
class _Facts:
    """What requests need to know of a resource."""

    # The columns of the key.
    key: tuple[str, ...]
    # The kinds of all columns: "int", "float", "Decimal", "bool", "str", "bytes", "json" or "any".
    columns: Mapping[str, str]
    # The columns that a request without `fields` gives, and those of `*`.
    plain: tuple[str, ...]
    all: tuple[str, ...]
    # Where the associations lead, and whether to many records.
    to: Mapping[str, tuple[str, bool]]
    # The decimals in lists and dictionaries that columns hold.
    decimals: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """A request, alone or as a part of a batch."""

    method: str
    url: str
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    # What its result is: "one" record, "many", or "any" of the two.
    gives: str = "any"
    # Whether the answer's tag is that of the record.
    tagged: bool = False
    # Which members of its result are decimals.
    decimals: Any = None
    content: bytes | None = None
    accept: str = "application/json"


def _quoted(name: str) -> str:
    return name if name == "*" else '"' + name.replace('"', '""') + '"'


def _identifier(name: str) -> str:
    return name if re.fullmatch(r"[^\W\d]\w*", name) else _quoted(name)


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]


def _encoded(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def _kind(resource: str | None, text: str) -> str | None:
    """Returns the kind of an expression that is a column, a column of a to-one association, or the greatest or least."""
    facts = _FACTS.get(resource or "")
    if facts is None:
        return None
    call = re.fullmatch(r"(?:min|max)\((.*)\)", text, re.S)
    name = call[1] if call else text
    if name in facts.columns:
        return facts.columns[name]
    association, _, rest = text.partition(".")
    if association not in facts.to:
        return None
    return _kind(facts.to[association][0], re.sub(r"^filter\(.*\)\.", "", rest, flags=re.S))


def _decimal(resource: str | None, text: object) -> Any:
    """Returns which values of an expression are decimals: all, or some in a dictionary."""
    facts = _FACTS.get(resource or "")
    if facts is not None and str(text) in facts.decimals:
        return facts.decimals[str(text)]
    return _kind(resource, str(text)) == "Decimal"


def _column(resource: str | None, text: object) -> str:
    facts = _FACTS.get(resource or "")
    return _identifier(str(text)) if facts and str(text) in facts.columns else str(text)


def _steps(resource: str | None, path: str) -> list[str]:
    facts = _FACTS.get(resource or "")
    first, dot, rest = path.partition(".")
    if not dot or (facts and path in facts.columns):
        return [path]
    return [first, *_steps(facts.to[first][0] if facts and first in facts.to else None, rest)]


def _term(resource: str | None, sort: object) -> str:
    if isinstance(sort, Expression):
        return f"({sort})"
    match = re.fullmatch(r"(-?)(.*?)((?::(?:nocase|nullsfirst|nullslast))*)", str(sort), re.S)
    minus, path, suffix = match.groups() if match else ("", str(sort), "")
    steps = _steps(resource, path)
    # An expression is a term too; what isn't one is a name that may need quotes.
    is_path = all(re.fullmatch(r"[\w ]+", step) or _is_column(resource, step) for step in steps)
    return minus + (".".join(map(_quoted, steps)) if is_path else path) + suffix


def _is_column(resource: str | None, name: str) -> bool:
    facts = _FACTS.get(resource or "")
    return facts is not None and name in facts.columns


def _condition(column: str, value: object) -> str:
    name = f"`{column}`"
    if value is None:
        return f"{_quoted(column)} is null"
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, bytearray)):
        items = list(value)
        if None in items:
            raise ValueError(f"{name} is compared with a list that has None, which equals nothing")
        return f"{_quoted(column)} in (" + ",".join(_literal(one, name) for one in items) + ")"
    return f"{_quoted(column)} = {_literal(value, name)}"


def _items(resource: str | None, named: Any) -> str:
    if isinstance(named, Mapping):
        return ",".join(f"{_quoted(name)}:{_column(resource, text)}" for name, text in named.items())
    return ",".join(_quoted(str(name)) for name in _list(named))


def _clause(resource: str | None, name: str, value: Any) -> list[str]:
    if name == "fields":
        return [_items(resource, value)]
    if name == "annotate":
        return [_items(resource, value)] if value else []
    if name in ("filter", "having"):
        return [str(one) for one in _list(value)]
    if name == "sort":
        terms = _list(value)
        return [",".join(_term(resource, one) for one in terms)] if terms else []
    if name == "group":
        return [",".join(_column(resource, one) for one in _list(value))]
    if name == "onConflict":
        return [",".join(_identifier(str(one)) for one in _list(value))]
    if name == "where":
        return [_condition(column, one) for column, one in value.items()]
    if name == "values":
        return [_column(resource, value)]
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return [str(value)]


def _nodes(all_: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The nodes of `include` or `join`, each with its association and its key."""
    for association, first in all_.items():
        if first is None:
            continue
        for node in (first, *(first.get("again") or ())):
            yield association, str(node.get("key") or association), node


def _parameters(resource: str | None, query: Mapping[str, Any], at: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    facts = _FACTS.get(resource or "")
    for name, value in query.items():
        if value is None or (at and name in ("key", "again", "required", "depth")):
            continue
        if name not in ("include", "join"):
            parameter = ".".join([*at, "filter" if name == "where" else name])
            found += [(parameter, one) for one in _clause(resource, name, value)]
            continue
        for association, key, node in _nodes(value):
            path = ".".join(_identifier(step) for step in (*at, association))
            renamed = "" if key == association else f"{_identifier(key)}:"
            depth = node.get("depth")
            repeated = "" if depth is None else "*" if depth is True else f"*{depth}"
            found.append((name, f"{renamed}{path}{repeated}{'!' if node.get('required') else ''}"))
            target = facts.to[association][0] if facts and association in facts.to else None
            found += _parameters(target, node, (*at, key))
    return found


def _with_query(url: str, pairs: Iterable[tuple[str, str]]) -> str:
    query = "&".join(f"{_encoded(name)}={_encoded(value)}" for name, value in pairs)
    return f"{url}{'&' if '?' in url else '?'}{query}" if query else url


def _key_path(resource: str, key: object) -> str:
    def text(name: str, value: object) -> str:
        if value is None or isinstance(value, (Mapping, list, tuple, bytes)):
            raise ValueError(f"{name} is {value!r}")
        _literal(value, name)
        if isinstance(value, bool):
            return "true" if value else "false"
        return _encoded(_plain(value) if isinstance(value, (str, date, UUID)) else str(value))

    if isinstance(key, Mapping):
        if not key:
            raise ValueError("a key has at least one column")
        return ",".join(f"{_encoded(str(column))}={text(f'`{column}`', value)}" for column, value in key.items())
    if key == "":
        raise ValueError('the key is empty; write {"column": ""}')
    path = text("the key", key)
    # Servers and proxies resolve these segments before any program sees them as keys (RFC 3986 §6.2.2.3).
    return f"{_encoded(_FACTS[resource].key[0])}={path}" if path in (".", "..") and _FACTS[resource].key else path


def _decimals(resource: str | None, query: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns which members of the records of a request are decimals."""
    facts = _FACTS.get(resource or "")
    if facts is None or not _HAS_DECIMALS:
        return None
    fields, found = query.get("fields"), dict[str, Any]()
    if not isinstance(fields, Mapping):
        found.update({name: _decimal(resource, name) for name in facts.columns})
    for named in (fields, query.get("annotate")):
        if isinstance(named, Mapping):
            found.update({name: _decimal(resource, text) for name, text in named.items()})
    for clause in ("include", "join"):
        for association, key, node in _nodes(query.get(clause) or {}):
            target = facts.to[association][0] if association in facts.to else None
            if clause == "join":
                found.update(_decimals(target, {"fields": {}, "include": node.get("include"), "join": node.get("join")}) or {})
            elif node.get("values") is not None:
                found[key] = _decimal(target, node["values"])
            else:
                below = _decimals(target, node)
                if below is not None and node.get("depth") is not None:
                    below[key] = below
                found[key] = below
    return found


def _exact(value: Any, decimals: Any) -> Any:
    """Returns a value whose numbers are decimals where the columns are, and else floats."""
    if isinstance(value, list):
        return [_exact(one, decimals) for one in value]
    if isinstance(value, dict):
        below = decimals if isinstance(decimals, dict) else {}
        return {key: _exact(one, below.get(key)) for key, one in value.items()}
    if decimals is True:
        return Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else value
    return float(value) if isinstance(value, Decimal) else value


def _conditions(options: Mapping[str, Any]) -> dict[str, str]:
    """Returns the header fields of a write: a condition is sent or refused, never left out."""
    headers: dict[str, str] = {}
    if "if_match" in options:
        tag = options["if_match"]
        if not isinstance(tag, str) or not tag:
            raise ValueError(f"if_match is {tag!r}; leave it out to write without a condition")
        headers["If-Match"] = tag
    if options.get("idempotency_key") is not None:
        headers["Idempotency-Key"] = json.dumps(str(options["idempotency_key"]))
    if options.get("prefer") is not None:
        headers["Prefer"] = ", ".join(map(str, _list(options["prefer"])))
    return headers


def _resolution(options: Mapping[str, Any], always: bool) -> dict[str, Any]:
    """Returns options with the preference for what is done with records whose key is there."""
    duplicates = options.get("duplicates")
    if not always and duplicates is None and options.get("on_conflict") is None:
        return dict(options)
    given = options.get("prefer")
    resolution = f"resolution={duplicates or 'merge'}-duplicates"
    return {**options, "prefer": [resolution, *([] if given is None else _list(given))]}


_SHAPE = ("fields", "include", "annotate")


class _Requests:
    """The requests of a resource."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._path = f"/{_encoded(name)}"

    def _one(self, key: object) -> str:
        return f"{self._path}/{_key_path(self._name, key)}"

    def _read(self, url: str, query: Mapping[str, Any], gives: str) -> Part:
        tagged = gives == "one" and all(value is None for value in query.values())
        return Part(
            "GET", _with_query(url, _parameters(self._name, query)), gives=gives, tagged=tagged, decimals=_decimals(self._name, query))

    def _write(
        self, method: str, url: str, options: Mapping[str, Any], gives: str, body: object = None, selection: Mapping[str, Any] | None = None,
    ) -> Part:
        shape = {name: options.get(name) for name in _SHAPE}
        pairs = _parameters(self._name, {**(selection or {}), "onConflict": options.get("on_conflict"), **shape})
        minimal = any("return=minimal" in str(one) for one in _list(options.get("prefer") or []))
        return Part(
            method, _with_query(url, pairs), body, _conditions(options), "any" if minimal else gives,
            gives == "one" and all(one is None for one in shape.values()), _decimals(self._name, shape))

    def fetch_all(self, **query: Any) -> Part:
        return self._read(self._path, query, "many")

    def fetch_one(self, key: object, **query: Any) -> Part:
        return self._read(self._one(key), query, "one")

    def create(self, record: object, **options: Any) -> Part:
        return self._write("POST", self._path, options, "one", record)

    def create_all(self, records: Iterable[object], **options: Any) -> Part:
        return self._write("POST", self._path, options, "many", list(records))

    def upsert(self, record: object, **options: Any) -> Part:
        return self._write("POST", self._path, _resolution(options, True), "one", record)

    def upsert_all(self, records: Iterable[object], **options: Any) -> Part:
        return self._write("POST", self._path, _resolution(options, True), "many", list(records))

    def update(self, key: object, change: object, **options: Any) -> Part:
        return self._write("PATCH", self._one(key), options, "one", change)

    def replace(self, key: object, record: object, **options: Any) -> Part:
        return self._write("PUT", self._one(key), options, "one", record)

    def delete(self, key: object, **options: Any) -> Part:
        return self._write("DELETE", self._one(key), options, "any")

    def update_all(self, change: object, **options: Any) -> Part:
        return self._write("PATCH", self._path, options, "many", change, self._selection(options))

    def delete_all(self, **options: Any) -> Part:
        return self._write("DELETE", self._path, options, "any", None, self._selection(options))

    @staticmethod
    def _selection(options: Mapping[str, Any]) -> dict[str, Any]:
        return {name: options.get(name) for name in ("filter", "where", "search", "limit")}


# What is sent, and what comes back.


def _retry_after(response: httpx.Response) -> float | None:
    """`Retry-After`: seconds or a date (RFC 9110 §10.2.3)."""
    after: str | None = response.headers.get("Retry-After")
    try:
        if after is None or after.isdigit():
            return None if after is None else float(after)
        return max(0.0, (parsedate_to_datetime(after) - datetime.now(timezone.utc)).total_seconds())
    except (TypeError, ValueError):
        return None


def _unexpected(response: httpx.Response, said: str) -> Problem:
    members = {"type": "/-/errors#unexpected-answer", "title": "Unexpected answer", "detail": said[:1000] or "no content"}
    return Problem(response.status_code, members, _retry_after(response))


def _is(kind: str, response: httpx.Response) -> bool:
    return kind in response.headers.get("Content-Type", "")


def _parsed(response: httpx.Response, text: str, decimals: Any = None) -> Any:
    try:
        if _HAS_DECIMALS:
            return _exact(json.loads(text, parse_float=Decimal), decimals)
        return json.loads(text)
    except ValueError:
        raise _unexpected(response, text) from None


def _checked(response: httpx.Response) -> httpx.Response:
    """Returns an answer that is a result; any other is a problem."""
    if response.is_success:
        return response
    members = None
    if _is("problem+json", response):
        members = _parsed(response, response.text)
    if not isinstance(members, dict):
        raise _unexpected(response, response.text)
    raise Problem(response.status_code, members, _retry_after(response))


def _value(response: httpx.Response, decimals: Any = None) -> Any:
    if not _is("json", response):
        raise _unexpected(response, response.text)
    return _parsed(response, response.text, decimals)


def _result(part: Part) -> Callable[[httpx.Response], Any]:
    def take(response: httpx.Response) -> Any:
        if response.status_code == 204 or "return=minimal" in response.headers.get("Preference-Applied", ""):
            return None
        result = _value(response, part.decimals)
        is_none = result is None and part.method != "GET"
        kind = {"one": dict, "many": list}.get(part.gives, object)
        if not is_none and not isinstance(result, kind):
            raise _unexpected(response, response.text)
        return _remembering(result, response.headers.get("ETag"), part)

    return take


def _remembering(result: Any, tag: object, part: Part) -> Any:
    if part.tagged and isinstance(result, dict) and isinstance(tag, str) and tag:
        record = _Tagged(result)
        record.etag = tag
        return record
    return result


def _page(part: Part) -> Callable[[httpx.Response], Page[Any]]:
    def cursor(response: httpx.Response, relation: str, name: str) -> str | None:
        link = re.search(rf'<([^>]*)>\s*;[^<]*rel="?{relation}', response.headers.get("Link", ""))
        if link is None:
            return None
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(link[1]).query, keep_blank_values=True)
        if name not in query:
            raise _unexpected(response, f"a link to the {relation} page without a cursor: {link[1]}")
        return query[name][0]

    def take(response: httpx.Response) -> Page[Any]:
        total = response.headers.get("X-Total-Count", response.headers.get("X-Estimated-Count"))
        return Page(
            _result(part)(response), cursor(response, "next", "after"), cursor(response, "prev", "before"),
            None if total is None else int(total))

    return take


def _count(response: httpx.Response) -> int:
    total = response.headers.get("X-Total-Count")
    if total is None:
        raise _unexpected(response, response.text or "an answer without X-Total-Count")
    return int(total)


def _written(response: httpx.Response) -> str:
    if response.content:
        raise _unexpected(response, response.text)
    return str(response.headers.get("ETag", ""))


class _Events:
    """The events of a stream (WHATWG HTML, §9.2), of lines as they come."""

    def __init__(self) -> None:
        self._id, self._data = "", list[str]()

    def of(self, line: str) -> tuple[str, str] | None:
        """Returns the id and the data of the event that a line ends."""
        name, _, value = line.partition(": ")
        if name == "id":
            self._id = value
        elif name == "data":
            self._data.append(value)
        elif not line and self._data:
            data, self._data = "\n".join(self._data), []
            return self._id, data
        return None


class _Connections:
    """The connections of a live result, one after the other."""

    def __init__(self, on_status: Callable[..., object] | None) -> None:
        self.last, self._pause, self._on_status = "", 1.0, on_status

    def says(self, status: str, error: Exception | None = None) -> None:
        if status == "live":
            self._pause = 1.0
        if self._on_status is not None:
            self._on_status(status, error)

    def lost(self, error: Exception) -> float:
        """Returns the seconds until the next request; raises what ends it."""
        least = 0.0
        if isinstance(error, Problem):
            if error.status != 429 and error.status < 500:
                raise error
            least = error.retry_after or 0.0
        self.says("waiting", error)
        pause = max(self._pause, least)
        self._pause = min(self._pause * 2, 30.0)
        return pause


class _Server:
    def __init__(
        self, url: str, token: Any, headers: Mapping[str, str] | None, retries: int, heartbeat: float,
    ) -> None:
        self.base = url.rstrip("/")
        self.token, self.headers, self.retries, self.heartbeat = token, dict(headers or {}), retries, heartbeat
        # The greatest position that an answer has come with, so that no later answer shows less.
        self.position: str | None = None

    def request(self, http: httpx.Client | httpx.AsyncClient, part: Part, token: object, **options: Any) -> httpx.Request:
        method, url, content = part.method, part.url, part.content
        headers = {"Accept": part.accept, **self.headers, **part.headers}
        if part.body is not None or (content is None and method in ("POST", "PATCH", "PUT")):
            content = _json(part.body).encode()
            headers["Content-Type"] = "application/json"
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if self.position is not None:
            headers["Kindred-Position"] = self.position
        # A query that may be too long for a URL is content (RFC 10008).
        if method == "GET" and len(url) > 6000 and "?" in url:
            url, _, query = url.partition("?")
            method, content = "QUERY", query.encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        return http.build_request(method, self.base + url, content=content, headers=headers, **options)

    def seen(self, response: httpx.Response) -> httpx.Response:
        def order(position: str) -> list[int]:
            timeline, _, number = position.partition("-")
            return [int(timeline), *(int(half, 16) for half in number.split("/"))]

        position = response.headers.get("Kindred-Position")
        if position and (self.position is None or order(position) > order(self.position)):
            self.position = position
        return response

    def pause(self, part: Part, tries: int, error: Exception) -> float:
        """Returns the seconds until a read is tried again; raises what isn't."""
        pause: float = 0.2 * 2.0**tries
        if isinstance(error, Problem):
            if error.status != 503:
                raise error
            pause = pause if error.retry_after is None else error.retry_after
        if part.method != "GET" or tries >= self.retries or pause > 30:
            raise error
        return pause

    def streaming(self, http: httpx.Client | httpx.AsyncClient, part: Part, last: str, token: object) -> httpx.Request:
        headers = {"Last-Event-ID": last} if last else {}
        streamed = replace(part, headers=headers, accept="text/event-stream")
        # The server says something at each heartbeat; three missing ones are a lost connection.
        return self.request(http, streamed, token, timeout=httpx.Timeout(3 * self.heartbeat))

    @staticmethod
    def started(response: httpx.Response) -> None:
        """Raises the problem of an answer, already read, that isn't a stream of events."""
        _checked(response)
        raise _unexpected(response, response.text)


def _is_stream(response: httpx.Response) -> bool:
    return response.is_success and _is("event-stream", response)


_ENDED = "the server has ended the connection"


class _SyncServer(_Server):
    def __init__(self, http: httpx.Client, *given: Any) -> None:
        super().__init__(*given)
        self.http = http

    def bearer(self) -> object:
        return self.token() if callable(self.token) else self.token

    def answer(self, part: Part, take: Callable[[httpx.Response], _T]) -> _T:
        tries = 0
        while True:
            request = self.request(self.http, part, self.bearer())
            try:
                return take(_checked(self.seen(self.http.send(request))))
            except (Problem, httpx.TransportError) as error:
                time.sleep(self.pause(part, tries, error))
                tries += 1

    def pages(self, first: Part, further: Part) -> Iterator[Any]:
        part = first
        while True:
            page = self.answer(part, _page(part))
            yield from page.records
            if page.next is None:
                return
            part = replace(further, url=_with_query(further.url, [("after", page.next)]))

    def live(self, part: Part, connections: _Connections) -> Iterator[Any]:
        while True:
            connections.says("connecting")
            error: Exception = httpx.ReadError(_ENDED)
            try:
                token = self.bearer()
                response = self.http.send(self.streaming(self.http, part, connections.last, token), stream=True)
                try:
                    if not _is_stream(response):
                        response.read()
                        self.started(response)
                    connections.says("live")
                    events = _Events()
                    for line in response.iter_lines():
                        event = events.of(line)
                        if event is not None:
                            connections.last, data = event
                            yield _parsed(response, data, part.decimals)
                finally:
                    response.close()
            except (Problem, httpx.TransportError) as lost:
                error = lost
            time.sleep(connections.lost(error))


class _AsyncServer(_Server):
    def __init__(self, http: httpx.AsyncClient, *given: Any) -> None:
        super().__init__(*given)
        self.http = http

    async def bearer(self) -> object:
        token = self.token() if callable(self.token) else self.token
        return await token if isinstance(token, Awaitable) else token

    async def answer(self, part: Part, take: Callable[[httpx.Response], _T]) -> _T:
        tries = 0
        while True:
            request = self.request(self.http, part, await self.bearer())
            try:
                return take(_checked(self.seen(await self.http.send(request))))
            except (Problem, httpx.TransportError) as error:
                await asyncio.sleep(self.pause(part, tries, error))
                tries += 1

    async def pages(self, first: Part, further: Part) -> AsyncIterator[Any]:
        part = first
        while True:
            page = await self.answer(part, _page(part))
            for record in page.records:
                yield record
            if page.next is None:
                return
            part = replace(further, url=_with_query(further.url, [("after", page.next)]))

    async def live(self, part: Part, connections: _Connections) -> AsyncIterator[Any]:
        while True:
            connections.says("connecting")
            error: Exception = httpx.ReadError(_ENDED)
            try:
                token = await self.bearer()
                response = await self.http.send(self.streaming(self.http, part, connections.last, token), stream=True)
                try:
                    if not _is_stream(response):
                        await response.aread()
                        self.started(response)
                    connections.says("live")
                    events = _Events()
                    async for line in response.aiter_lines():
                        event = events.of(line)
                        if event is not None:
                            connections.last, data = event
                            yield _parsed(response, data, part.decimals)
                finally:
                    await response.aclose()
            except (Problem, httpx.TransportError) as lost:
                error = lost
            await asyncio.sleep(connections.lost(error))


# Data frames.


@dataclass
class _Layout:
    """The members of a record in the rows profile, in their order."""

    # The columns and annotations with their kinds; of expressions, the kind is "any".
    columns: list[tuple[str, str]]
    # The associations: the key, whether there are many, and their records or the kind of their bare values.
    nodes: list[tuple[str, bool, _Layout | str]]


def _layout(resource: str, query: dict[str, Any]) -> _Layout:
    """Returns the layout of a request, which then names its columns."""
    facts, fields = _FACTS[resource], query.get("fields")
    if not isinstance(fields, Mapping):
        names = list(facts.plain if fields is None else fields)
        query["fields"] = fields = [one for name in names for one in (facts.all if name == "*" else (name,))]
    named = [*(fields.items() if isinstance(fields, Mapping) else ((name, name) for name in fields)), *(query.get("annotate") or {}).items()]
    layout = _Layout([(name, facts.columns.get(str(text), "any")) for name, text in named], [])
    for clause in ("include", "join"):
        inner: dict[str, Any] = {}
        for association, key, given in _nodes(query.get(clause) or {}):
            target, many = facts.to[association]
            node = dict(given)
            node.pop("again", None)
            if clause == "join":
                layout.nodes += _layout(target, {**node, "fields": []}).nodes
            elif node.get("values") is not None:
                layout.nodes.append((key, many, _FACTS[target].columns.get(str(node["values"]), "any")))
            else:
                below = _layout(target, node)
                if node.get("depth") is not None:
                    below.nodes.append((key, many, below))
                layout.nodes.append((key, many, below))
            if association in inner:
                inner[association]["again"] = [*inner[association].get("again", ()), node]
            else:
                inner[association] = node
        if inner and clause == "include":
            query[clause] = inner
    return layout


def _cell(value: Any, kind: str) -> Any:
    """Returns a value of the rows profile as Python has it."""
    if isinstance(value, dict):
        content = base64.b64decode(str(value.get("b", value.get("t", ""))))
        return content if "b" in value else content.decode(errors="replace")
    if kind == "bool" and value in (0, 1):
        return bool(value)
    if kind == "Decimal" and isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return Decimal(value)
    return float(value) if isinstance(value, Decimal) else value


def _record(row: Any, layout: _Layout | str) -> Any:
    if isinstance(layout, str):
        return _cell(row, layout)
    if row is None:
        return None
    record = {name: _cell(value, kind) for (name, kind), value in zip(layout.columns, row)}
    for (key, many, below), value in zip(layout.nodes, row[len(layout.columns):]):
        record[key] = [_record(one, below) for one in value] if many else _record(value, below)
    return record


class _Frame:
    """The columns of a data frame; those of to-one associations are named `author.name`."""

    def __init__(self, layout: _Layout) -> None:
        self.columns: dict[str, tuple[str, list[Any]]] = {}
        self._add = self._adding(layout, "")

    def _adding(self, layout: _Layout, prefix: str) -> Callable[[Any], None]:
        cells: list[tuple[str, list[Any]]] = []
        for name, kind in layout.columns:
            cells.append((kind, []))
            self.columns[prefix + name] = cells[-1]
        rest: list[Callable[[Any], None]] = []
        for key, many, below in layout.nodes:
            if many or isinstance(below, str) or below is layout or any(one is below for _, _, one in below.nodes):
                values: list[Any] = []
                self.columns[prefix + key] = ("list" if many else "any", values)
                rest.append(self._appending(values, below, many))
            else:
                rest.append(self._adding(below, f"{prefix}{key}."))
        count = len(cells)

        def add(row: Any) -> None:
            row = row or [None] * (count + len(rest))
            for (kind, values), value in zip(cells, row):
                values.append(None if value is None else _cell(value, kind))
            for one, value in zip(rest, row[count:]):
                one(value)

        return add

    @staticmethod
    def _appending(values: list[Any], below: _Layout | str, many: bool) -> Callable[[Any], None]:
        def add(value: Any) -> None:
            values.append([_record(one, below) for one in value] if many and value is not None else _record(value, below))

        return add

    def read(self, response: httpx.Response) -> Any:
        import pandas

        if not _is("ndjson", response):
            raise _unexpected(response, response.text)
        for line in response.iter_lines():
            if line:
                try:
                    row = json.loads(line, parse_float=Decimal if _HAS_DECIMALS else None)
                except ValueError:
                    raise _unexpected(response, line) from None
                self._add(row)
        frame = {}
        for name, (kind, values) in self.columns.items():
            nulls = [pandas.NA if value is None else value for value in values]
            frame[name] = pandas.Series(nulls, dtype=_dtype(kind, values), copy=False)
        return pandas.DataFrame(frame, columns=list(self.columns))


def _dtype(kind: str, values: list[Any]) -> str:
    """Returns the type of a column: that of its values, or the declared one where there are none."""
    types = {type(value) for value in values if value is not None}
    if not types:
        return {"int": "Int64", "float": "Float64", "bool": "boolean", "str": "string"}.get(kind, "object")
    if types == {int}:
        return "Int64" if all(value is None or -(2**63) <= value < 2**63 for value in values) else "object"
    return {float: "Float64", bool: "boolean", str: "string"}.get(types.pop(), "object") if len(types) == 1 else "object"


# Resources and clients.


class _Value:
    """The value of one column of one record."""

    def __init__(self, server: Any, resource: str, key: object, column: str) -> None:
        self._server = server
        self._kind = _FACTS[resource].columns.get(column)
        self._decimals = _decimal(resource, column)
        self._path = f"/{_encoded(resource)}/{_key_path(resource, key)}/{_encoded(column)}"
        self.url: str = server.base + self._path

    def get(self) -> Any:
        def take(response: httpx.Response) -> Any:
            # A page of a proxy has no tag.
            if self._kind == "bytes" and "ETag" in response.headers and not _is("json", response):
                return response.content
            return _value(response, self._decimals)

        return self._server.answer(Part("GET", self._path, accept="*/*"), take)

    def put(self, value: Any, **options: Any) -> Any:
        content = value.read() if hasattr(value, "read") else value
        headers = _conditions(options)
        if isinstance(content, (bytes, bytearray, memoryview)):
            headers["Content-Type"] = "application/octet-stream"
            part = Part("PUT", self._path, headers=headers, content=bytes(content))
        else:
            part = Part("PUT", self._path, content, headers)
        return self._server.answer(part, _written)

    def delete(self, **options: Any) -> Any:
        return self._server.answer(Part("DELETE", self._path, headers=_conditions(options)), _written)


def _sent(name: str) -> Callable[..., Any]:
    def send(self: Any, *given: Any, **options: Any) -> Any:
        part = getattr(self.request, name)(*given, **options)
        return self._server.answer(part, _result(part))

    return send


class _Resource:
    """A resource: each method sends the request of its name."""

    def __init__(self, server: Any, name: str) -> None:
        self._server, self._name = server, name
        self.request = _Requests(name)

    fetch_all, fetch_one = _sent("fetch_all"), _sent("fetch_one")
    create, create_all = _sent("create"), _sent("create_all")
    upsert, upsert_all = _sent("upsert"), _sent("upsert_all")
    update, update_all = _sent("update"), _sent("update_all")
    replace, delete, delete_all = _sent("replace"), _sent("delete"), _sent("delete_all")

    def of(self, record: type) -> Any:
        return self

    def fetch_page(self, **query: Any) -> Any:
        part = self.request.fetch_all(**query)
        return self._server.answer(part, _page(part))

    def records(self, **query: Any) -> Any:
        return self._server.pages(self.request.fetch_all(**query), self.request.fetch_all(**{**query, "offset": None}))

    def fetch_count(self, **query: Any) -> Any:
        return self._server.answer(self.request.fetch_all(**{**query, "limit": 0, "offset": None, "count": True}), _count)

    def live(self, *, on_status: Callable[..., object] | None = None, **query: Any) -> Any:
        return self._server.live(self.request.fetch_all(**query), _Connections(on_status))

    def value(self, key: object, column: str) -> _Value:
        return _Value(self._server, self._name, key, column)

    def etag(self, record: object) -> str:
        if not isinstance(record, _Tagged) or not record.etag:
            raise ValueError("only fetch_one and writes, without fields, include and annotate, give records with a tag")
        return record.etag

    def import_(self, content: Any, *, type: str = "ndjson", **options: Any) -> Any:
        content = content.read() if hasattr(content, "read") else content
        if isinstance(content, str):
            content = content.encode()
        elif not isinstance(content, (bytes, bytearray)):
            content = "".join(f"{_json(record)}\n" for record in content).encode()
        headers = {**_conditions(_resolution(options, False)), "Content-Type": "text/csv" if type == "csv" else "application/x-ndjson"}
        pairs = _parameters(self._name, {"onConflict": options.get("on_conflict")})
        url = _with_query(f"/{_encoded(self._name)}", pairs)
        return self._server.answer(Part("POST", url, headers=headers, content=bytes(content)), _count)

    def to_dataframe(self, **query: Any) -> Any:
        try:
            import pandas as _
        except ImportError as error:
            raise ImportError("to_dataframe needs pandas: pip install pandas") from error
        named = dict(query)
        layout = _layout(self._name, named)
        part = replace(self.request.fetch_all(**named), accept="application/x-ndjson;profile=rows")
        return self._server.answer(part, lambda response: _Frame(layout).read(response))


class _Actions:
    """The actions, each a method, and as parts of batches."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.request = _ActionRequests()

    def __getattr__(self, name: str) -> Any:
        if name not in _ACTIONS:
            raise AttributeError(name)

        def send(*given: Any, **options: Any) -> Any:
            part = getattr(self.request, name)(*given, **options)
            return self._server.answer(part, _result(part))

        return send


class _ActionRequests:
    def __getattr__(self, attribute: str) -> Any:
        if attribute not in _ACTIONS:
            raise AttributeError(attribute)
        name, resource, gives = _ACTIONS[attribute]

        def call(parameters: object = None, **options: Any) -> Part:
            shape = {clause: options.get(clause) for clause in _SHAPE}
            url = _with_query(f"/{_encoded(name)}", _parameters(resource, shape))
            minimal = any("return=minimal" in str(one) for one in _list(options.get("prefer") or []))
            body = {} if parameters is None else parameters
            return Part("POST", url, body, _conditions(options), "any" if minimal else gives, False, _decimals(resource, shape))

        return call


def _batch(parts: Sequence[Part], options: Mapping[str, Any]) -> tuple[Part, Callable[[httpx.Response], list[Any]]]:
    body = [
        {"method": part.method, "url": part.url, "headers": part.headers, **({} if part.body is None else {"body": part.body})} for part in parts
    ]

    def take(response: httpx.Response) -> list[Any]:
        answers = _value(response)
        if not isinstance(answers, list) or len(answers) != len(parts) or not all(isinstance(one, dict) for one in answers):
            raise _unexpected(response, response.text)
        return [
            _remembering(_exact(answer.get("body"), part.decimals), (answer.get("headers") or {}).get("ETag"), part)
            for part, answer in zip(parts, answers)
        ]

    return Part("POST", "/-/batch", body, _conditions(options)), take


_TIMEOUT = httpx.Timeout(60, connect=10)


class _Client:
    def __init__(
        self, url: str, *, token: str | Callable[[], str | None] | None = None, headers: Mapping[str, str] | None = None,
        retries: int = 3, heartbeat: float = 15.0, http: httpx.Client | None = None,
    ) -> None:
        self._http = http
        self._own = httpx.Client(timeout=_TIMEOUT) if http is None else http
        self._server = _SyncServer(self._own, url, token, headers, retries, heartbeat)
        self._resources: dict[str, Any] = {attribute: _Resource(self._server, name) for attribute, name in _RESOURCES.items()}
        self.actions: Any = _Actions(self._server)

    def batch(self, parts: Sequence[Part], *, idempotency_key: str | None = None) -> list[Any]:
        """Sends requests as one transaction: all are done, or none. Returns their results in their order."""
        return self._server.answer(*_batch(parts, {"idempotency_key": idempotency_key}))

    def close(self) -> None:
        if self._http is None:
            self._own.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _AsyncClient:
    def __init__(
        self, url: str, *, token: str | Callable[[], str | None] | Callable[[], Awaitable[str | None]] | None = None,
        headers: Mapping[str, str] | None = None, retries: int = 3, heartbeat: float = 15.0, http: httpx.AsyncClient | None = None,
    ) -> None:
        self._http = http
        self._own = httpx.AsyncClient(timeout=_TIMEOUT) if http is None else http
        self._server = _AsyncServer(self._own, url, token, headers, retries, heartbeat)
        self._resources: dict[str, Any] = {attribute: _Resource(self._server, name) for attribute, name in _RESOURCES.items()}
        self.actions: Any = _Actions(self._server)

    async def batch(self, parts: Sequence[Part], *, idempotency_key: str | None = None) -> list[Any]:
        """Sends requests as one transaction: all are done, or none. Returns their results in their order."""
        return await self._server.answer(*_batch(parts, {"idempotency_key": idempotency_key}))

    async def aclose(self) -> None:
        if self._http is None:
            await self._own.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


# The types of requests, which no program needs when it runs.
if TYPE_CHECKING:
    class _Clauses(TypedDict, total=False):
        annotate: Mapping[str, _Text] | None
        filter: _Text | Sequence[_Text] | None
        search: str | None
        having: _Text | Sequence[_Text] | None
        sort: _Text | Sequence[_Text] | None

    class _Pages(TypedDict, total=False):
        limit: int | None
        offset: int | None
        distinct: bool | None
        group: Sequence[_Text] | None

    class _PageClauses(TypedDict, total=False):
        after: str | None
        before: str | None
        count: bool | Literal["estimated"] | None

    class _NodeClauses(TypedDict, total=False):
        key: str
        required: bool
        values: _Text | None
        depth: int | None

    class _Selection(TypedDict, total=False):
        filter: _Text | Sequence[_Text] | None
        search: str | None
        limit: int | None

    class _Returning(TypedDict, total=False):
        prefer: str | Sequence[str] | None

    class _Writing(TypedDict, total=False):
        if_match: str
        idempotency_key: str | None

    class _Merging(TypedDict, total=False):
        duplicates: Literal["merge", "ignore"] | None
