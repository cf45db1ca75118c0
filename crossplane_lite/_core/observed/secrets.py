"""The secret values of a request, and masking them in texts: the forms of each, and the search.

A structured value (JSON, lines of pairs, PEM, a URL) is taken apart (`secret_parts`), and each part
is a secret value by its own key. A form is a way to write a value: as it is, in base64, or with the
escapes of JSON, Python or URLs, also JSON in JSON. Only whole values are masked, and upper and
lower case differ.

A value is masked anywhere, also inside of words. But a value of less than eight characters is
masked only as a word, and one whose key names a host, a user or the like only if it isn't a part of
a longer name either. Values of less than four characters, usual words such as "enabled", and names
of resources, functions and kinds are never masked.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ...errors import WireError
from .. import codec
from .secret_parts import GRAM, LONGEST_ESCAPED, SHORTEST, Secret, is_masked_anywhere, parts_of
from .tokens import base64_cores

IsName = Callable[[str], bool]

MASK = "[secret]"

# Where a form is masked: not in longer names, such as `db` in `my-db`; not in longer words;
# anywhere.
_ITSELF = 0
_WORD = 1
_ANYWHERE = 2

# longer forms are looked for in pieces, because long texts are cut before they are searched
_CHUNK = 2048
_LONGEST_FORM = 2 * _CHUNK
_LONGEST_NAME = 253
_MOST_SEARCHES = 250
_ORDINARY = frozenset(
    "true false null none default enabled disabled json yaml text password passwort username"
    " database hostname endpoint connection secret secrets token tokens string certificate"
    " unknown".split()
)

_PLAIN = re.compile(r"[A-Za-z0-9_.~-]*")
_NOT_IN_NAMES = re.compile(r"[^\w.-]")
# What stands before and behind a form that is masked: nothing of a name, or no letter or digit.
_BEFORE = re.compile(r"(?<![\w.-])"), re.compile(r"(?<![^\W_])")
_BEHIND = re.compile(r"(?![\w-]|\.[^\W_])"), re.compile(r"(?![^\W_])")
_URL_SAFE = str.maketrans("+/", "-_")


def _never(_name: str) -> bool:
    return False


class Masker:
    """Masks secret values in texts. A masker never changes, so all threads may use it.

    The time of a search hardly depends on the number of values, and that of making a masker grows
    with their size.

    Args:
        secrets: The values, each with its key.
        is_name: The function that says whether a word is the name of a resource, a function or a
            kind.
    """

    def __init__(self, secrets: Iterable[Secret] = (), is_name: IsName = _never) -> None:
        self._is_name = is_name
        self._where: dict[str, int] = {}  # each form, and where it is masked
        # sorted forms by their first characters, by how many
        self._index: dict[int, dict[str, list[str]]] = {}
        self._add(secrets)

    def more(self, secrets: Iterable[Secret]) -> Masker:
        """Return a masker of these values and of those that this one masks."""
        made = Masker((), self._is_name)
        made._where = self._where.copy()
        made._index = {size: index.copy() for size, index in self._index.items()}
        made._add(secrets)
        return made

    def _add(self, secrets: Iterable[Secret]) -> None:
        new: dict[str, list[str]] = {}
        for form, where in _forms_of(secrets):
            if form not in self._where:
                new.setdefault(form[:GRAM], []).append(form)
            self._where[form] = max(where, self._where.get(form, _ITSELF))
        for gram, forms in new.items():
            index = self._index.setdefault(len(gram), {})
            index[gram] = sorted([*index.get(gram, ()), *forms])

    def __call__(self, text: str, is_name: IsName = _never) -> str:
        """Return `text` with `[secret]` in the place of each secret value; `is_name` finds more
        names.
        """
        hidden = bytearray(len(text))  # values may overlap or touch each other
        for size, index in self._index.items():
            for start in _places(text, index, size):
                length = self._length_at(text, start, index[text[start : start + size]])
                hidden[start : start + length] = b"x" * length
        if b"x" not in hidden:  # nearly always so
            return text
        shown = ""
        at = 0
        for found in re.finditer(b"x+", hidden):
            start, end = found.span()
            if text[start - 1 : end + 1] != MASK and not self._is_part_of_name(
                text, start, end, is_name
            ):
                shown += text[at:start] + MASK
                at = end
        return shown + text[at:]

    def _length_at(self, text: str, at: int, forms: list[str]) -> int:
        """Return the length of the longest one of the sorted `forms` that is masked at `text[at]`;
        0 if none is.
        """
        piece = text[at : at + _LONGEST_FORM]
        while piece:
            # In the sorted list a beginning of the piece comes before the piece, and all texts
            # between begin like it.
            place = bisect_right(forms, piece)
            if not place:
                return 0
            one = forms[place - 1]
            if piece.startswith(one) and _stands(text, at, at + len(one), self._where[one]):
                return len(one)
            # Next are the forms that are as long as what both begin with, or shorter. A form may
            # have megabytes.
            size = bisect_left(
                range(len(one)), True, key=lambda size: not piece.startswith(one[:size])
            )
            piece = one[: size - 1]
        return 0

    def _is_part_of_name(self, text: str, start: int, end: int, is_name: IsName) -> bool:
        backwards = text[max(0, start - _LONGEST_NAME) : start][::-1]
        before = _NOT_IN_NAMES.split(backwards, maxsplit=1)[0][::-1]
        behind = _NOT_IN_NAMES.split(text[end : end + _LONGEST_NAME], maxsplit=1)[0]
        known = before + text[start:end]
        word = (known + behind).strip(".-")
        if not end - start <= len(word) <= _LONGEST_NAME:
            return False
        # The word may be a path, which begins with a name.
        names = (word, known + behind.partition(".")[0])
        return any(map(self._is_name, names)) or any(map(is_name, names))


def _places(text: str, index: dict[str, Any], size: int) -> Iterator[int]:
    """Yield the indexes of `text` at which a key of `index` begins; all keys have `size`
    characters.
    """
    # A search for one key in C takes about as long as one look into the index; in a long text, as
    # hundreds of them.
    if len(index) > min(len(text), _MOST_SEARCHES):
        yield from (at for at in range(len(text) - size + 1) if text[at : at + size] in index)
        return
    for gram in index:
        at = text.find(gram)
        while at >= 0:
            yield at
            at = text.find(gram, at + 1)


def _stands(text: str, start: int, end: int, where: int) -> bool:
    """Say whether the form at `text[start:end]` is masked there."""
    if where == _ANYWHERE:
        return True
    return bool(_BEFORE[where].match(text, start) and _BEHIND[where].match(text, end))


# Forms


def _forms_of(secrets: Iterable[Secret]) -> Iterator[tuple[str, int]]:
    """Yield the forms of secret values and of their parts, each with where it is masked."""
    anywheres: dict[str, bool] = {}
    for key, data in parts_of(secrets):
        try:
            text = data.decode()
        except UnicodeDecodeError:
            yield from _placed([repr(data)[2:-1], *_in_base64(data, True)], True)
            continue
        if text.strip().lower() in _ORDINARY:
            continue
        anywhere = anywheres.get(key)
        if anywhere is None:
            anywhere = anywheres[key] = is_masked_anywhere(key)
        yield from _placed(
            [text, text.strip(), *_escaped(text, data), *_in_base64(data, anywhere)], anywhere
        )


def _placed(forms: Iterable[str], anywhere: bool) -> Iterator[tuple[str, int]]:
    """Yield each form with where it is masked, and pieces of a long one in its place."""
    for form in dict.fromkeys(forms):
        size = len(form)
        if SHORTEST <= size <= _LONGEST_FORM:
            yield form, _ITSELF if not anywhere else _WORD if size < GRAM else _ANYWHERE
        for at in range(0, size, _CHUNK) if size > _LONGEST_FORM else ():
            at = min(at, size - _CHUNK)
            yield form[at : at + _CHUNK], _ANYWHERE


def _escaped(text: str, data: bytes) -> list[str]:
    """Return the forms of a value with escapes, but the outermost quotes; those of a short one
    escaped again, too.
    """
    if _PLAIN.fullmatch(text):
        return []
    in_json = json.dumps(text, ensure_ascii=False)[1:-1]
    of_go = in_json.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    # Python's are in log lines and tracebacks.
    found = [in_json, json.dumps(text)[1:-1], of_go, repr(text)[1:-1], repr(data)[2:-1]]
    if len(text) <= LONGEST_ESCAPED:
        from urllib.parse import quote

        for form in tuple(dict.fromkeys(found)):
            found += [
                json.dumps(form)[1:-1],
                json.dumps(form, ensure_ascii=False)[1:-1],
                repr(form)[1:-1],
            ]
        in_path = quote(data)
        in_query = in_path.replace("/", "%2F")
        found += [in_path, in_query, in_query.replace("%20", "+")]
    return found


def _in_base64(data: bytes, anywhere: bool) -> list[str]:
    """Return the forms of a value in base64; with `anywhere` also those inside of a longer text, as
    `user:password`.
    """
    encoded = base64.b64encode(data).decode()
    forms = [encoded, encoded.rstrip("=")]
    if anywhere and len(data) >= GRAM:
        forms += [core.decode() for core in base64_cores(data)]
    return [*forms, *(form.translate(_URL_SAFE) for form in forms if "+" in form or "/" in form)]


# Secrets in a request and in plain data

# A Struct that has a Secret in it has this, and so has JSON in a string that has one. The byte
# before the word is its length, or the end of a length that is written in more bytes than it needs.
_IN_STRUCT = re.compile(rb"""Secret(?:(?<=[\x00\x06]Secret)|List|["\\])""")
_IN_JSON = re.compile(r"""Secret(?:List)?["\\]""")


def masker_for(request: Any) -> Masker:
    """Return the masker of all secret values of a request; names in the request are never masked.

    Credentials, connection details and the data of Secrets are secret, wherever the Secrets are in
    the request.
    """
    names = functools.cache(lambda: names_of(request))  # read when they are first needed
    return Masker(secrets_of(request), lambda word: word in names())


def names_of(request: Any) -> set[str]:
    """Return the names and kinds of all resources in a request, and the keys of its required
    resources.

    A name or kind is left out if it can't be read, because the resource's bytes are malformed.
    """
    answers = {*request.required_resources, *request.extra_resources}
    found: set[str] = {*answers, *request.observed.resources, *request.desired.resources}
    for resource in _all_resources(request):
        for path in (("kind",), ("metadata", "name")):
            with contextlib.suppress(WireError):
                value = codec.get_path(resource.resource, path)
                if isinstance(value, str):
                    found.add(value)
    return found


def secrets_of(request: Any) -> Iterator[Secret]:
    """Yield the secret values in `request`, each with its key. Secrets in malformed bytes are left
    out.
    """
    for one in request.credentials.values():
        yield from one.credential_data.data.items()
    for resource in _all_resources(request):
        yield from resource.connection_details.items()
    for struct in _structs(request):
        if _IN_STRUCT.search(struct):
            with contextlib.suppress(WireError):  # reported where the Struct is read
                yield from secrets_in(codec.decode_struct(struct))


def _structs(request: Any) -> Iterator[bytes]:
    """Yield the bytes of each Struct in a request: all places where Secrets may be."""
    for resource in _all_resources(request):
        yield resource.resource
    # Other functions put objects that they have fetched into the context.
    yield request.context
    yield request.input


def _all_resources(request: Any) -> Iterator[Any]:
    for state in (request.observed, request.desired):
        yield state.composite
        yield from state.resources.values()
    for answers in (request.required_resources, request.extra_resources):
        for answer in answers.values():
            yield from answer.items


def secrets_in(content: Any) -> Iterator[Secret]:
    """Yield the secret values of each Secret in `content`. The plain data `content` may be a Secret
    itself.
    """
    for values, is_text in maps_in(content):
        for key, text in values.items():
            if issubclass(type(text), str):
                yield str(key), secret_value(text, is_text)


def maps_in(content: Any) -> Iterator[tuple[Mapping[Any, Any], bool]]:
    """Yield the data of each Secret in plain data, and whether the values are text, and not base64.

    A Secret may also be in JSON in a string, as in the annotation of kubectl, or in a SecretList
    without its kind.
    """
    work: list[tuple[Any, bool]] = [(content, False)]
    while work:
        one, is_listed = work.pop()
        # Not isinstance(): reading the class of a missing value would count as a use of it.
        if issubclass(type(one), Mapping):
            kind = one.get("kind")
            if is_listed or kind == "Secret":
                yield from _maps_of(one)
            work += [(value, kind == "SecretList" and key == "items") for key, value in one.items()]
        elif type(one) is list:
            work += [(element, is_listed) for element in one]
        elif issubclass(type(one), str) and _IN_JSON.search(one):
            work.append((_parsed(one), False))


def _maps_of(secret: Mapping[str, Any]) -> Iterator[tuple[Mapping[Any, Any], bool]]:
    for field, is_text in (("data", False), ("stringData", True)):
        values: Any = secret.get(field)
        if issubclass(type(values), Mapping):
            yield values, is_text


def _parsed(text: str) -> Any:
    """Return the plain data of a JSON object or list, and None for another text."""
    if text.lstrip().startswith(("{", "[")):
        with contextlib.suppress(ValueError, RecursionError):
            return json.loads(text)
    return None


def secret_value(text: str, is_text: bool) -> bytes:
    """Return the bytes of a value in a Secret's data. A value that should be base64 and isn't is
    taken as text.
    """
    if not is_text:
        with contextlib.suppress(ValueError):
            return base64.b64decode(text, validate=True)
    return text.encode(errors="replace")
