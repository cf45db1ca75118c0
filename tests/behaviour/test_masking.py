"""How secret values are found in texts: by their keys, in structured values, and never in names."""

from __future__ import annotations

import _thread
import base64
import contextvars
import json
import logging
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite import Unstructured, composition
from crossplane_lite._core.observed import tracker
from crossplane_lite._core.observed.secrets import MASK, Masker
from crossplane_lite.runtime import flags, log
from tests.behaviour.growth import calls_during
from tests.support import run


def masked(text: str, **values: str) -> str:
    """Return a text without the values, which stand under their keys."""
    return Masker((key, value.encode()) for key, value in values.items())(text)


@pytest.mark.parametrize(
    ("key", "value", "text", "expected"),
    [
        ("username", "admin", "user admin, 'admin' and user=admin", f"user {MASK}, '{MASK}' and user={MASK}"),
        ("username", "admin", "administrator my-admin admin-role admin_x xr.spec.admin", None),
        ("port", "5432", "db:5432 and port 5432.", f"db:{MASK} and port {MASK}."),
        ("port", "5432", "15432 54321 5432s 1.5432", None),
        ("host", "db.example.org", "//db.example.org:1 (db.example.org)", f"//{MASK}:1 ({MASK})"),
        ("host", "db.example.org", "mydb.example.org db.example.org.uk", None),
        ("database", "orders", "orders in the orders-db", f"{MASK} in the orders-db"),
        ("port", "443", "443 of 443", None),
        ("password", "test", "the latest test, joe:test@db", f"the latest {MASK}, joe:{MASK}@db"),
        ("password", "test", "a.test x-test", f"a.{MASK} x-{MASK}"),
        ("password", "abc", "abc", None),
        ("password", "password123", "the password is wrong; passwords are", None),
        ("flag", "true", "it is true", None),
        ("value", "long-enough", "xlong-enoughx", f"x{MASK}x"),
        ("value", "long-enough", "long-enou", None),
        ("clientSecret", "long-enough", "long-enou", None),
        ("clientSecret", "long-enough", "LONG-ENOUGH", None),
        ("connection_string", "postgres://joe:hunter2hunter@db/x", "postgres", None),
        ("connection_string", "postgres://joe:hunter2hunter@db/x", "it is hunter2hunter", f"it is {MASK}"),
        ("dsn", "Server=tcp:db;User=joe-x;Password=hunter2hunter;", "hunter2hunter by joe-x", f"{MASK} by {MASK}"),
        ("secret-key", "[secret]secret", "it is [secret]", None),
    ],
)
def test_keys_say_what_is_looked_for(key: str, value: str, text: str, expected: str | None) -> None:
    """Hosts, users and ports are masked as whole words alone, other values anywhere; nothing is masked in part."""
    assert masked(text, **{key: value}) == (text if expected is None else expected)


def test_bytes_that_are_no_text() -> None:
    """A value that isn't UTF-8 is found as base64 and as Python shows it."""
    value = bytes(range(200, 232))
    made = Masker([("key", value)])
    for form in (base64.b64encode(value).decode(), repr(value)[2:-1]):
        assert made(f"it is {form}.") == f"it is {MASK}."


def test_numbers_in_structured_values() -> None:
    """A number is a secret where its key says so; a yes or no never is."""
    account = json.dumps({"password": 90817263, "replicas": 55443322, "token": True})
    assert masked("90817263 55443322 True true", account=account) == f"{MASK} 55443322 True true"


def test_leaves_that_tell_nothing() -> None:
    """Types, regions and profiles in structured values are no secrets."""
    creds = "[default]\naws_access_key_id=AKIAIOSFODNN7\naws_secret_access_key=wJalrXUtnFEMI\nregion=eu-central-1\n"
    account = json.dumps({"type": "service_account", "private_key_id": "0123456789ab", "universe_domain": "googleapis"})
    text = "[default] in eu-central-1 is a service_account: AKIAIOSFODNN7 wJalrXUtnFEMI 0123456789ab"
    expected = f"[default] in eu-central-1 is a service_account: {MASK} {MASK} {MASK}"
    assert masked(text, creds=creds, account=account) == expected


HIDDEN = "Qw7-zzSecond-88"
STRUCTURED: dict[str, tuple[str, str]] = {
    "a URL": ("postgres://u:p@ssw0rd99@h/db", "p@ssw0rd99"),
    "a URL of a driver that isn't strict": ("postgres://u:p/ss#w0rd99@h/db", "p/ss#w0rd99"),
    "a URL with an escape": ("postgres://u:p%40ssw0rd@h/db", "p@ssw0rd"),
    "a query with an escape": ("https://h/x?password=p%40s-Qw7&x=y", "p@s-Qw7"),
    "a token as the user": ("https://Qw7-zzSecond-88@h/x", HIDDEN),
    "lines of URLs": (f"https://u:tokenFirst11@h1\nhttps://u:{HIDDEN}@h2\n", HIDDEN),
    "URLs behind commas": (f"amqp://a:b@h1:5672,amqp://u:{HIDDEN}@h2:5672", HIDDEN),
    "hosts behind commas": (f"amqp://a:b@h1:5672,u:{HIDDEN}@h2:5672", HIDDEN),
    "pip.conf": (f"[global]\nextra-index-url = https://u:first-1@h/\n  https://u:{HIDDEN}@h/\n", HIDDEN),
    "a pair": ("token=Qw7x9", "Qw7x9"),
    "a pair with a colon": ("password: Qw7x9", "Qw7x9"),
    "a pair with spaces": ("aws_session_token = Qw7x9", "Qw7x9"),
    "a user with a password": ("admin:Qw7-zzSecond-88", HIDDEN),
    "INI with &": ("[db]\nuser = me\npassword = Qw7long&zzSecond-88\n", "Qw7long&zzSecond-88"),
    "an environment with ;": ("DB_USER=me\nDB_PASSWORD=Qw7long;zzSecond-88\n", "Qw7long;zzSecond-88"),
    "short parts": ("DB_USER=me\nDB_PASSWORD=Qw7&x;z\n", "Qw7&x;z"),
    "what looks like pairs": ("DB_USER=me\nDB_PASSWORD=Qw7&xx=z;y=1\n", "Qw7&xx=z;y=1"),
    "& at the beginning": ("DB_PASSWORD=&Qw7z1", "&Qw7z1"),
    "DSN with &": ("Server=tcp:db;Password=Qw7&z1;Database=orders;", "Qw7&z1"),
    "DSN with commas": ("h:6379,password=Qw7z1,ssl=True", "Qw7z1"),
    "DSN with spaces": ("host=h port=5432 dbname=d user=joe-x password=Qw7z1 sslmode=require", "Qw7z1"),
    "DSN of JDBC": ("jdbc:postgresql://host/db?user=u&password=Qw7z1", "Qw7z1"),
    "a comment": ("password = Qw7z1 ; the old one", "Qw7z1"),
    "a comment of a shell": ("PASSWORD=Qw7z1 # the old one", "Qw7z1"),
    "YAML lists": ("passwords:\n- Qw7z1\n- another-one\n", "Qw7z1"),
    "YAML blocks": ("password: >-\n  Qw7z1\nx: y\n", "Qw7z1"),
    "YAML mappings in a line": ("{user: a, password: Qw7z1}", "Qw7z1"),
    "a header": (f"Bearer {HIDDEN}", HIDDEN),
    "a header with its name": (f"Authorization: Bearer {HIDDEN}", HIDDEN),
    "a header of a user": ("Basic am9lOlF3Ny16elNlY29uZC04OA==", HIDDEN),
    "a header in a command": (f"curl -H 'Authorization: Bearer {HIDDEN}' https://h/", HIDDEN),
    ".npmrc": (f"//npm.example.org/:_authToken={HIDDEN}\nalways-auth=true\n", HIDDEN),
    ".npmrc of a user": ("//npm.example.org/:_auth=am9lOlF3Ny16elNlY29uZC04OA==\n", HIDDEN),
    "netrc": (f"machine h login joe password {HIDDEN}", HIDDEN),
    "netrc in lines": (f"machine h\n  login joe\n  password {HIDDEN}\n", HIDDEN),
    "a flag": (f"run --user=joe --password={HIDDEN}", HIDDEN),
    "a flag with a space": (f"run --user joe --password {HIDDEN} x", HIDDEN),
    "a docker config": (json.dumps({"auths": {"r": {"auth": "am9lOlF3Ny16elNlY29uZC04OA=="}}}), HIDDEN),
    "a short one of a docker config": (json.dumps({"auths": {"r": {"auth": "am9lOlF3N3gx"}}}), "Qw7x1"),
    "YAML mappings with a comma": ("{user: a, password: 'Qw7z1',}", "Qw7z1"),
    "ODBC": ("Driver={x};UID=joe-x;PWD={Qw7z1};", "Qw7z1"),
    "JSON with a byte order mark": ('\ufeff{"password": "Qw7z1"}', "Qw7z1"),
}


@pytest.mark.sample(24)
@pytest.mark.parametrize("key", ["config", "credentials"])
@pytest.mark.parametrize("name", STRUCTURED)
def test_parts_of_structured_values(name: str, key: str) -> None:
    """A password alone is masked whole, whatever it stands in."""
    value, password = STRUCTURED[name]
    assert masked(f"no login with {password} here", **{key: value}) == f"no login with {MASK} here"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-8-sig"])
def test_structured_values_in_other_encodings(encoding: str) -> None:
    """What json.loads reads from bytes is taken apart, and so are pairs in these encodings."""
    for value in ('{"user": "me", "password": "Qw7z1"}', "a = b\npassword = Qw7z1\n"):
        assert Masker([("config", value.encode(encoding))])("no Qw7z1") == f"no {MASK}"
    assert Masker([("password", b"x\0hunter2")])("x\0hunter2") == MASK  # no UTF-16, though it begins like it


MESSAGE = (
    "the database server is down: can't reach db-host:5432 as joe in orders (Bearer, version 1, region eu-central-1, "
    "type service_account). password: wrong; read the docs at https://example.org/docs?page=2 and try again; token=x"
)


@pytest.mark.parametrize(
    "value",
    [
        "DB_USER=me\nDB_PASSWORD=Qw7long;zzSecond-88\n",
        "amqp://a:b@db,amqp://u:PWPWPW@h2",
        json.dumps({"oauth_token_type": "Bearer", "signing_key_version": "1", "type": "service_account"}),
        "token=Qw7-zz-Second",
        "x: docs",
        "scopes: read, write\nnote: the end\n",
        "hunter:down",
        "Password=hunter22x;Server=db.example.org",
        "hosts = db1:9092,db2:9092\n",
        "https://example.org:8080/webhook",
        "[default]\nregion = eu-central-1\noutput = json\naws_access_key_id = AKIA1\n",
        "run --output database --token-type Bearer server",
        "the Basic server with a password login and token",
        "users:\n- name: admin-x\n  user:\n    token: abcdefghijkl\n    args:\n    - get-token\n",
    ],
)
@pytest.mark.parametrize("key", ["config", "credentials"])
def test_messages_stay_readable(key: str, value: str) -> None:
    """Words that only stand in a structured value beside its secrets aren't masked inside of messages."""
    assert masked(MESSAGE, **{key: value}) == MESSAGE


def test_masking_twice_changes_nothing() -> None:
    """What is masked stays as it is, also where the word for it is a secret value itself."""
    once = masked("the secret is secret", password="secret", key="is secret")  # noqa: S106
    assert masked(once, password="secret", key="is secret") == once  # noqa: S106


def test_names_are_never_masked() -> None:
    """Names of resources, functions and kinds are as they are, though a secret value is the same."""
    values = {"a": b"network-main", "password": b"network-main", "b": b"Thing-Of-Mine", "c": b"photos-bucket"}

    @composition.function(name="the-function")
    def compose(ctx: Any) -> None:
        ctx.resource("network-main", Unstructured("v1", "Thing-Of-Mine"))
        ctx.results.warning("network-main of Thing-Of-Mine for photos-bucket by the-function; xnetwork-main")
        ctx.results.warning("network-main.status.id isn't there")

    xr = {"apiVersion": "v1", "kind": "Thing-Of-Mine", "metadata": {"name": "photos-bucket"}}
    answer = run(compose, xr=xr, credentials={"c": {**values, "d": b"the-function"}})
    texts = [text for _, text in answer.results]
    assert texts[0] == f"network-main of Thing-Of-Mine for photos-bucket by the-function; x{MASK}"
    assert texts[1] == "network-main.status.id isn't there"


def test_the_longest_names_are_never_masked() -> None:
    """A name may have as many characters as Kubernetes allows."""
    name = f"{'n' * 244}-{SECRET[:8]}"
    assert len(name) == 253

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource(name, Unstructured("v1", "Thing"))
        ctx.results.warning(f"{name}; x-{name}")

    [(_, text)] = run(compose, credentials={"c": {"password": SECRET[:8].encode()}}).results
    assert text == f"{name}; x-{'n' * 244}-{MASK}"


_LETTERS = st.text(st.sampled_from('abAB01 +/="\\\n%é€ß'), min_size=1, max_size=24)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(_LETTERS, min_size=1, max_size=6), _LETTERS, _LETTERS)
def test_whole_values_are_always_masked(values: list[str], before: str, behind: str) -> None:
    """Whatever values there are, and whatever is around it, a value of eight letters or more isn't left whole."""
    made = Masker(("password", value.encode()) for value in values)
    for value in values:
        if len(value) >= 8:
            assert value not in made(f"{before}{value}{behind}").replace(MASK, "\0")


SECRET = "hunter2hunter2"  # noqa: S105


def test_other_threads_mask_the_secrets_of_calls_that_go_on() -> None:
    """A thread that compose() starts masks the call's secrets while it goes on; with a copied context also later."""
    go, seen = threading.Event(), []

    def say() -> None:
        seen.append(tracker.mask(f"it is {SECRET}"))

    def later() -> None:
        assert go.wait(60)
        say()

    threads: list[threading.Thread] = []

    @composition.function
    def compose(ctx: Any) -> None:
        thread = threading.Thread(target=say)
        thread.start()
        thread.join()
        threads.append(threading.Thread(target=contextvars.copy_context().run, args=(later,)))
        threads[0].start()

    run(compose, credentials={"c": {"password": SECRET.encode()}})
    assert tracker.mask(SECRET) == SECRET  # in this thread no call is going on
    go.set()
    threads[0].join()
    assert seen == [f"it is {MASK}"] * 2


def test_a_secret_that_is_registered_during_another_threads_log_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line is written with the values that were known when it began; the next one has the new value masked."""
    begun, registered, lines = threading.Event(), threading.Event(), []
    search = Masker.__call__

    def slow(self: Masker, *args: Any) -> str:
        if threading.current_thread() is not threading.main_thread():
            begun.set()
            assert registered.wait(60)
        return search(self, *args)

    monkeypatch.setattr(Masker, "__call__", slow)

    def say() -> None:
        lines.append(tracker.mask("first-secret-1 and second-secret-2"))

    @composition.function
    def compose(ctx: Any) -> None:
        first = threading.Thread(target=say)
        first.start()
        assert begun.wait(60)
        ctx.resource("s", Unstructured("v1", "Secret", stringData={"password": "second-secret-2"}))
        registered.set()
        first.join()
        second = threading.Thread(target=say)
        second.start()
        second.join()

    answer = run(compose, credentials={"c": {"token": b"first-secret-1"}})
    assert not answer.fatal
    assert lines == [f"{MASK} and second-secret-2", f"{MASK} and {MASK}"]


def test_a_masker_never_changes() -> None:
    """What is hidden later is in a new masker; the one before masks what it did."""
    one = Masker([("token", b"first-secret-1")])
    other = one.more([("token", b"second-secret-2")])
    assert one("first-secret-1 second-secret-2") == f"{MASK} second-secret-2"
    assert other("first-secret-1 second-secret-2") == f"{MASK} {MASK}"


def test_functions_change_nothing_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that is served leaves threads, executors and streams of the process as they are."""
    before = threading.Thread.start, _thread.start_new_thread, ThreadPoolExecutor.submit, sys.stdout, sys.stderr

    class Served(Exception):
        pass

    def listening(*_: object) -> Any:
        raise Served

    monkeypatch.setattr(flags, "_listening", listening)
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", root.handlers[:])
    monkeypatch.setattr(log, "_mask", log._mask)
    monkeypatch.setattr(log, "_subject", log._subject)
    with pytest.raises(Served):
        flags._run("function", ["--insecure"], composition.function(lambda ctx: None))
    logging.captureWarnings(False)
    assert before == (
        threading.Thread.start,
        _thread.start_new_thread,
        ThreadPoolExecutor.submit,
        sys.stdout,
        sys.stderr,
    )


@pytest.mark.slow
def test_many_threads_at_once() -> None:
    """20,000 calls with Secrets, in threads that take turns every microsecond, give no leak and no error."""
    errors: list[str] = []
    numbers = iter(range(20_000))
    lock = threading.Lock()

    def lines() -> None:
        while not ended.is_set():
            try:
                for number in going.copy():
                    tracker.mask(f"outside of calls: password-of-{number:06}")
            except Exception as error:
                errors.append(repr(error))

    going: dict[int, int] = {}
    ended = threading.Event()

    @composition.function(name="stress")
    def compose(ctx: Any) -> None:
        number = int(ctx.composite(Unstructured).observed.spec.number)
        going[number] = number
        given, made = f"password-of-{number:06}", f"composed-by-{number:06}"
        ctx.resource("s", Unstructured("v1", "Secret", stringData={"password": made}))
        waiting = ctx.resource("b", Unstructured("v1", "Bucket"))
        ctx.log.warning(f"{given} {made} {waiting.observed.status.id}")
        ctx.results.warning(f"{given} {made}")
        if number % 16 == 0:
            thread = threading.Thread(target=lambda: said.append(tracker.mask(f"{given} {made}")))
            thread.start()
            thread.join()
        del going[number]

    said: list[str] = []

    def calls() -> None:
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            xr = {"apiVersion": "v1", "kind": "XStress", "metadata": {"name": "x"}, "spec": {"number": number}}
            try:
                answer = run(compose, xr=xr, credentials={"c": {"password": f"password-of-{number:06}".encode()}})
            except Exception as error:
                errors.append(repr(error))
                continue
            if answer.fatal or answer.results[0][1] != f"{MASK} {MASK}":
                errors.append(answer.texts)

    class Seen(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    logger, handler = logging.getLogger("crossplane_lite.function.stress"), Seen()
    logger.addHandler(handler)
    before, propagates = sys.getswitchinterval(), logger.propagate
    logger.propagate = False
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=calls) for _ in range(8)]
        outside = threading.Thread(target=lines)
        for thread in (outside, *threads):
            thread.start()
        for thread in threads:
            thread.join()
        ended.set()
        outside.join()
    finally:
        sys.setswitchinterval(before)
        logger.removeHandler(handler)
        logger.propagate = propagates
    assert errors == []
    assert [line for line in said if "password-of" in line or "composed-by" in line] == []
    assert len(said) > 20_000


def _grams(count: int) -> Masker:
    return Masker((f"password-{number}", f"value-{number:09}-of-many".encode()) for number in range(count))


def _lines_run(made: Masker, text: str) -> int:
    """Return how many lines of Python a masker runs for a text."""
    count = 0

    def trace(frame: Any, event: str, _: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        made(text)
    finally:
        # One that measures coverage, or a debugger.
        sys.settrace(before)
    return count


def test_searching_takes_the_same_however_many_values_there_are() -> None:
    """Ten times the values, and all begin alike: about the same work for a text, and ten times the text ten times."""
    text = "value-00000 is near to many, value-000000007-of-many is one. " * 4
    few, many = _grams(400), _grams(4000)
    assert many(text).count(MASK) == 4
    assert _lines_run(many, text) < 1.5 * _lines_run(few, text)
    assert _lines_run(many, text * 10) < 13 * _lines_run(many, text)


def test_the_length_of_what_is_nearly_a_value_hardly_matters() -> None:
    """Ten times as many places where nearly all of a value stands, which is ten times as long: ten times the work."""
    short, long = (_lines_run(Masker([("password", b"ab" * n + b"!")]), "ab" * 2 * n) for n in (100, 1000))
    assert long < 20 * short


MANY: dict[str, bytes] = {
    "empty pairs": b"a=\n" * 300_000,
    "empty pairs in a line": b"a=;" * 300_000,
    "pairs in a line": b"a= " * 300_000,
    "pairs": b"".join(b"k=value-%d\n" % at for at in range(60_000)),
    "lines": b"".join(b"value-%d\n" % at for at in range(70_000)),
    "escapes": b"a=%41" * 180_000,
    "JSON": json.dumps({f"k{at}": f"value-{at}" for at in range(40_000)}).encode(),
    "nulls": json.dumps([None] * 150_000).encode(),
    "URLs": b"://u:password@h " * 60_000,
    "beginnings of URLs": b"://" * 300_000,
}


@pytest.mark.parametrize("name", MANY)
def test_the_work_for_a_large_value_has_a_limit(name: str) -> None:
    """Of 900 KB of small parts, only the first ones are looked at, however small they are."""
    assert calls_during(lambda: Masker([("config", MANY[name])])) < 400_000


def test_the_work_for_all_values_has_a_limit() -> None:
    """A hundred values of small parts have a limit together."""
    values = [("config", b"a=\n" * 3_000 + b"%d" % at) for at in range(100)]
    assert calls_during(lambda: Masker(values)) < 1_500_000


@pytest.mark.parametrize("count", [1, 7])
def test_the_limit_is_as_the_page_says(count: int) -> None:
    """Up to 1,500 parts of a value are masked, and up to 10,000 of all values."""
    made = [{f"k{at}": f"value-{number}-{at}-x" for at in range(1500)} for number in range(count)]
    mask = Masker(("config", json.dumps(one).encode()) for one in made)
    assert {mask(part) for one in made for part in one.values()} == {MASK}


def test_large_values_hide_no_small_ones() -> None:
    """Beside values that have too many parts, all parts of a small one are masked, and the first ones of each."""
    large = [("large", b"first-%d=value-%d-x\n" % (at, at) + b"a=b\n" * 50_000) for at in range(12)]
    small = ("small", b'{"deep": {"password": "Qw7-zzSecond-88"}}')
    made = Masker([*large, small])
    assert made("Qw7-zzSecond-88, value-0-x, value-11-x") == f"{MASK}, {MASK}, {MASK}"


def test_the_type_of_a_condition_is_never_masked() -> None:
    """The condition of a step that has another one before it keeps its type, though a secret value is the same."""

    @composition.function(name="network-main")
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", Unstructured("v1", "Thing"))
        ctx.resource("subnet", Unstructured("v1", "Thing", spec={"id": vpc.observed.status.id}))

    context = {"crossplane-lite/held-back": {"other": {"held": ["x"]}}}
    answer = run(compose, credentials={"c": {"password": b"network-main"}}, context=context)
    assert list(answer.conditions) == ["DependenciesResolved-network-main"]
    assert answer.conditions["DependenciesResolved-network-main"][2].startswith("network-main: subnet waits for vpc.")
