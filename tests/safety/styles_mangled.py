"""Styles that make text of a value from which it can't be seen any more: cut, hashed, packed, looked up."""

from __future__ import annotations

import base64
import binascii
import codecs
import functools
import gzip
import hashlib
import hmac
import json
import random
import re
import uuid
import zlib
from typing import Any

from tests.safety.plain import make
from tests.safety.style import ABSENT, HELD, OPEN, style


def _sha(text: Any) -> str:
    return hashlib.sha256(f"{text}".encode()).hexdigest()


@style(HELD)
def cut_at_63(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=f"a-name-that-is-rather-long-for-a-label-{status.id}"[:45])


@style(HELD)
def cut_short(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=f"{status.id}"[:4])


@style(HELD)
def cut_from_the_end(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=f"{status.id}"[-4:])


@style(HELD)
def cut_in_a_name(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1).metadata.annotations["name"] = f"net-{status.id}"[:8]


@style(HELD)
def cut_by_format(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=f"{status.id!s:.5}")


@style(HELD)
def padded_by_format(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=f"{status.id!s:>40}")


@style(HELD)
def format_spec(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=f"{status.id:>40}")


@style(OPEN)
def format_spec_of_a_number(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=f"{status.count:03d}")


@style(HELD)
def padded(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=str(status.id).ljust(60, "."))


@style(HELD)
def first_character(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=str(status.id)[0])


@style(HELD)
def backwards(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=str(status.id)[::-1])


@style(HELD)
def every_second_character(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=str(status.id)[::2])


@style(HELD)
def sorted_characters(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x="".join(sorted(str(status.id))))


@style(HELD)
def spaced(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x="_".join(str(status.id)))


@style(HELD)
def parts_of_text(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=f"{status.arn}".split("/")[-1])


@style(OPEN)
def second_part_of_text(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=f"{status.arn}".split("/")[1])


@style(HELD)
def number_of_characters(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=len(f"{status.id}"))


@style(HELD)
def code_of_a_character(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=ord(f"{status.id}"[0]))


@style(HELD)
def sha256(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=_sha(status.id))


@style(HELD)
def checksum_annotation(ctx: Any, vpc: Any) -> None:
    s = make(ctx, "s", fixed=1)
    s.metadata.annotations["checksum"] = _sha(vpc.observed.connection_details["password"])


@style(HELD)
def checksum_of_a_configuration(ctx: Any, status: Any) -> None:
    configuration = json.dumps({"host": str(status.endpoint.host), "zones": ["a"]}, sort_keys=True)
    make(ctx, "s", fixed=1).metadata.annotations["checksum"] = _sha(configuration)


@style(HELD)
def short_hash(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=f"net-{_sha(status.id)[:5]}")


@style(HELD)
def md5(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=hashlib.md5(str(status.id).encode()).hexdigest())


@style(HELD)
def hash_of_bytes_in_base64(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=base64.b64encode(hashlib.sha256(str(status.id).encode()).digest()).decode())


@style(HELD)
def keyed_hash(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=hmac.new(b"key", str(status.id).encode(), "sha256").hexdigest())


@style(HELD)
def crc(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=zlib.crc32(str(status.id).encode()) % 1000)


@style(HELD)
def hash_of_the_repr(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=_sha(repr([status.id])))


@style(HELD)
def uuid_of_text(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{status.id}")))


@style(HELD)
def seeded(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=random.Random(f"{status.id}").randint(0, 10**9))


@style(HELD)
def base64_twice(ctx: Any, status: Any) -> None:
    once = base64.b64encode(f"id={status.id}".encode())
    make(ctx, "s", fixed=1, x=base64.b64encode(once).decode())


@style(HELD)
def base64_of_json_with_base64(ctx: Any, status: Any) -> None:
    inner = base64.b64encode(f"user:{status.id}".encode()).decode()
    outer = json.dumps({"auths": {"x.org": {"auth": inner}}})
    make(ctx, "s", fixed=1, x=base64.b64encode(outer.encode()).decode())


@style(HELD)
def base32(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=base64.b32encode(str(status.id).encode()).decode())


@style(HELD)
def base85(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=base64.b85encode(str(status.id).encode()).decode())


@style(HELD)
def hexadecimal(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=binascii.hexlify(str(status.id).encode()).decode())


@style(HELD)
def zipped(ctx: Any, status: Any) -> None:
    packed = gzip.compress(f"#cloud-config\nvpc: {status.id}\n".encode() * 3, mtime=0)
    make(ctx, "s", fixed=1, x=base64.b64encode(packed).decode())


@style(HELD)
def rotated(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=codecs.encode(str(status.id), "rot13"))


@style(HELD)
def translated(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=str(status.id).translate(str.maketrans("aeiou", "12345")))


@style(HELD)
def bytes_as_numbers(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=list(str(status.id).encode()))


@style(HELD)
def only_letters(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=re.sub(r"[^a-d]", "", f"ab-{status.id}"))


@style(HELD)
def smallest_text(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=min(f"{status.id}", "m", "zz"))


@style(HELD)
def sorted_texts(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=sorted([f"{status.id}", "m", "b"]))


@style(HELD)
def set_of_texts(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=sorted({f"{status.id}", "m", f"{status.id}"}))


@style(OPEN)
def hash_in_a_resource_name(ctx: Any, status: Any) -> None:
    make(ctx, f"s-{_sha(status.id)[:6]}", fixed=1)


@style(OPEN)
def cut_in_a_resource_name(ctx: Any, status: Any) -> None:
    make(ctx, f"s-{status.id}"[:6], fixed=1)


@style(HELD)
def hash_as_a_label_key(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1).metadata.labels[_sha(status.id)[:8]] = "x"


@style({"s": HELD, "t": {"x": 1}})
def hash_of_a_secret_beside_another(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=_sha(status.id))
    make(ctx, "t", x=1)


# --- decided by text: the falsy answer is the author's --------------------------------------------------------------


@style(OPEN)
def looked_up(ctx: Any, status: Any) -> None:
    make(ctx, "s", x={"vpc-1234": "known"}.get(f"{status.id}", "unknown"))


@style(OPEN)
def switched_by_text(ctx: Any, status: Any) -> None:
    match f"{status.phase}":
        case "Available":
            make(ctx, "s", x="ready")
        case _:
            make(ctx, "s", x="waiting")


@style(ABSENT)
def starts_with(ctx: Any, status: Any) -> None:
    if f"{status.id}".startswith("vpc-"):
        make(ctx, "s", fixed=1)


@style(ABSENT)
def text_in_text(ctx: Any, status: Any) -> None:
    if "vpc" in str(status.id):
        make(ctx, "s", fixed=1)


@style(ABSENT)
def text_equal(ctx: Any, status: Any) -> None:
    if f"{status.phase}" == "Available":
        make(ctx, "s", fixed=1)


@style(ABSENT)
def text_in_a_set(ctx: Any, status: Any) -> None:
    if str(status.phase) in {"Available", "Active"}:
        make(ctx, "s", fixed=1)


@style(ABSENT)
def pattern(ctx: Any, status: Any) -> None:
    found = re.match(r"vpc-(\w+)", f"{status.id}")
    if found:
        make(ctx, "s", x=found.group(1))


@style(ABSENT)
def has_a_digit(ctx: Any, status: Any) -> None:
    if any(c.isdigit() for c in str(status.id)):
        make(ctx, "s", fixed=1)


@functools.cache
def _cached(text: str) -> str:
    return text.upper()


@style(HELD)
def cached_helper(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=_cached(f"{status.id}"))


@style(OPEN)
def hash_of_the_value(ctx: Any, status: Any) -> None:
    make(ctx, "s", x={status.id: "one"}.get("vpc-1234", "other"))
