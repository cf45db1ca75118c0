"""How secret values are found in texts: by their keys, in structured values, and never in names."""

from __future__ import annotations

import _thread
import asyncio
import base64
import json
import queue
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite import Unstructured, composition
from crossplane_lite._observed import tracker
from crossplane_lite._observed.masking import MASK, Masker
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
        ("password", "abc", "abc", None),
        ("password", "password123", "the password is wrong; passwords are", None),
        ("flag", "true", "it is true", None),
        ("value", "long-enough", "xlong-enoughx", f"x{MASK}x"),
        ("value", "long-enough", "long-enou", None),
        ("clientSecret", "long-enough", "long-enou", MASK),
        ("connection_string", "postgres://joe:hunter2hunter@db/x", "postgres", None),
        ("connection_string", "postgres://joe:hunter2hunter@db/x", "it is hunter2hunter", f"it is {MASK}"),
        ("dsn", "Server=tcp:db;User=joe-x;Password=hunter2hunter;", "hunter2hunter by joe-x", f"{MASK} by {MASK}"),
        ("secret-key", "[secret]secret", "it is [secret]", None),
    ],
)
def test_keys_say_what_is_looked_for(key: str, value: str, text: str, expected: str | None) -> None:
    """Hosts, users and ports are masked as whole words alone; what a key names a secret also by its ends."""
    assert masked(text, **{key: value}) == (text if expected is None else expected)


def test_bytes_that_are_no_text() -> None:
    """A value that isn't UTF-8 is found as base64, as hex digits and as Python shows it."""
    value = bytes(range(200, 232))
    made = Masker([("key", value)])
    for form in (base64.b64encode(value).decode(), value.hex(), repr(value)[2:-1]):
        assert made(f"it is {form}.") == f"it is {MASK}."


def test_numbers_in_structured_values() -> None:
    """A number is a secret where its key says so; a yes or no never is."""
    account = json.dumps({"password": 90817263, "replicas": 55443322, "token": True})
    assert masked("90817263 55443322 True true", account=account) == f"{MASK} 55443322 True true"


def test_letters_that_grow_in_lower_case() -> None:
    """A letter whose lower case is longer shifts no place: what is masked is the value, and no more."""
    assert masked("\u0130\u0130 is Long-Enough.", token="Long-Enough") == f"\u0130\u0130 is {MASK}."


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
    "an escaped quote": ('PASSWORD="ab\\"cd-Qw7-zz"', "cd-Qw7-zz"),
    "a doubled quote": ("a: b\npassword: 'it''s-Qw7-zz'\n", "s-Qw7-zz"),
    "YAML lists": ("passwords:\n- Qw7z1\n- another-one\n", "Qw7z1"),
    "YAML blocks": ("password: >-\n  Qw7z1\nx: y\n", "Qw7z1"),
    "YAML mappings in a line": ("{user: a, password: Qw7z1}", "Qw7z1"),
    "JSON with a byte order mark": ('\ufeff{"password": "Qw7z1"}', "Qw7z1"),
}


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


_LETTERS = st.text(st.sampled_from('abAB01 +/="\\\n%é€ß'), min_size=1, max_size=24)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(_LETTERS, min_size=1, max_size=6), _LETTERS, _LETTERS)
def test_whole_values_are_always_masked(values: list[str], before: str, behind: str) -> None:
    """Whatever values there are, and whatever is around it, a value of eight letters or more isn't left whole."""
    made = Masker(("password", value.encode()) for value in values)
    for value in values:
        if len(value) >= 8:
            assert value not in made(f"{before}{value}{behind}").replace(MASK, "\0")


def test_threads_of_a_call_that_has_ended() -> None:
    """A thread that goes on when its call has ended, and one that it starts then, mask that call's secrets."""
    tracker.watch_threads()
    go, seen = threading.Event(), []

    def later() -> None:
        assert go.wait(60)
        seen.append(tracker.mask("it is hunter2hunter2"))
        inner = threading.Thread(target=lambda: seen.append(tracker.mask("hunter2hunter2")))
        inner.start()
        inner.join()

    threads: list[threading.Thread] = []

    @composition.function
    def compose(ctx: Any) -> None:
        threads.append(threading.Thread(target=later))
        threads[0].start()

    run(compose, credentials={"c": {"password": b"hunter2hunter2"}})
    assert tracker.mask("hunter2hunter2") == "hunter2hunter2"  # in this thread no call is going on
    go.set()
    threads[0].join()
    assert seen == [f"it is {MASK}", MASK]


POOL = ThreadPoolExecutor(1)


def _submit(job: Callable[[], None]) -> None:
    POOL.submit(job)


def _start_without_an_object(job: Callable[[], None]) -> None:
    _thread.start_new_thread(job, ())


def _submit_from_work(job: Callable[[], None]) -> None:
    POOL.submit(POOL.submit, job)


@pytest.mark.parametrize("give", [_submit, _start_without_an_object, _submit_from_work])
def test_work_of_a_call_that_has_ended(give: Callable[[Callable[[], None]], None]) -> None:
    """Work that goes on after its call masks the secrets of this call, in each thread, and those of no other call."""
    tracker.watch_threads()
    POOL.submit(int).result()  # its thread is started by no call
    news: queue.Queue[str] = queue.Queue()
    for token, other in (("first-token-1", "second-token-2"), ("second-token-2", "first-token-1")):
        go = threading.Event()

        def later(token: str = token, other: str = other, go: threading.Event = go) -> None:
            assert go.wait(60)
            news.put(tracker.mask(f"{token}, {other}"))

        @composition.function
        def compose(ctx: Any, later: Callable[[], None] = later) -> None:
            give(later)

        run(compose, credentials={"c": {"token": token.encode()}})
        go.set()
        assert news.get(timeout=60) == f"{MASK}, {other}"


def test_work_for_an_executor_of_an_event_loop() -> None:
    """A coroutine's work in another thread is masked after the call, also if a task that goes on submits it."""
    tracker.watch_threads()
    POOL.submit(int).result()  # its thread is started by no call
    news: queue.Queue[str] = queue.Queue()
    tasks: list[Any] = []
    for token in ("first-token-1", "second-token-2"):
        go = threading.Event()

        @composition.function
        async def compose(ctx: Any, token: str = token, go: threading.Event = go) -> None:
            loop = asyncio.get_running_loop()
            loop.run_in_executor(None, lambda: (go.wait(60), news.put(tracker.mask(token))))
            tasks.append(loop.create_task(_later(token, news)))

        run(compose, credentials={"c": {"token": token.encode()}})
        go.set()
        assert [news.get(timeout=60), news.get(timeout=60)] == [MASK, MASK]


async def _later(token: str, news: queue.Queue[str]) -> None:
    await asyncio.sleep(0.05)
    POOL.submit(lambda: news.put(tracker.mask(token)))


def test_work_without_a_call() -> None:
    """What is submitted outside of calls runs as it is; what a function returns or raises is the future's."""
    tracker.watch_threads()
    assert POOL.submit(tracker.mask, "first-token-1").result() == "first-token-1"
    futures: list[Future[int]] = []

    @composition.function
    def compose(ctx: Any) -> None:
        futures.append(POOL.submit(int, "11", base=2))
        futures.append(POOL.submit(int, "x"))

    run(compose)
    assert futures[0].result() == 3
    assert isinstance(futures[1].exception(), ValueError)


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
    assert many(text).count(MASK) == 8
    assert _lines_run(many, text) < 1.5 * _lines_run(few, text)
    assert _lines_run(many, text * 10) < 13 * _lines_run(many, text)
