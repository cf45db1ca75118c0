# pyright: strict
"""Functions of values that may not be known yet, reads of observed state, and objects without a schema."""

from __future__ import annotations

import json

from typing_extensions import reveal_type

from crossplane_lite import Observable, apply
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1 import LabelSelector, ManagedFieldsEntry
from tests.typing.model.io.upbound.gcp.storage.bucket.v1beta1 import Bucket


def shout(text: str) -> str:
    return text.upper()


def repeated(text: str, times: int) -> list[str]:
    return [text] * times


def observed(bucket: Bucket) -> None:
    seen = bucket.observed.status.atProvider
    reveal_type(seen.id)  # reveal: str | Observable[str]
    reveal_type("id: " + seen.id)  # reveal: str
    reveal_type(bucket.condition("Ready").status)  # reveal: str | Observable[str]
    reveal_type(bucket.observed.spec.forProvider.location)  # reveal: str | Observable[str] | None
    bucket.spec.forProvider.location = seen.id
    bucket.metadata.labels["a"] = seen.id


def applied(bucket: Bucket, text: Observable[str], unknown: Observable) -> None:
    seen = bucket.observed.status.atProvider
    location = bucket.observed.spec.forProvider.location
    reveal_type(apply(lambda value: value.upper(), location))  # reveal: str | Observable[str]
    reveal_type(apply(lambda value: value + "a", text))  # reveal: str | Observable[str]
    reveal_type(apply(lambda value: value[0], unknown))  # reveal: Any | Observable[Any]
    reveal_type(apply(shout, seen.id))  # reveal: str | Observable[str]
    reveal_type(apply(str.upper, text))  # reveal: str | Observable[str]
    reveal_type(apply(len, "a"))  # reveal: int | Observable[int]
    reveal_type(apply(int, text))  # reveal: int | Observable[int]
    reveal_type(apply(repeated, seen.id, 5))  # reveal: list[str] | Observable[list[str]]
    reveal_type(apply(lambda one, two: one + two, seen.id, location))  # reveal: str | Observable[str]
    reveal_type(apply(lambda a, b, c: a + b + c, seen.id, seen.id, "x"))  # reveal: str | Observable[str]
    reveal_type(apply(",".join, [text, seen.id]))  # reveal: str | Observable[str]
    reveal_type(apply(lambda parts: ",".join(parts), bucket.metadata.finalizers))  # reveal: str | Observable[str]
    reveal_type(apply(json.dumps, {"a": text}))  # reveal: str | Observable[str]
    bucket.spec.forProvider.location = apply(shout, text)


def wrong(bucket: Bucket, text: Observable[str]) -> None:
    apply(lambda value: value, text, text)  # error: arg-type|misc reportArgumentType|reportCallIssue
    apply(repeated, text)  # error: arg-type reportArgumentType|reportCallIssue
    apply(shout, 5)  # error: arg-type reportArgumentType|reportCallIssue
    apply(lambda value: value.lower() + 5, text)  # error: operator reportOperatorIssue|reportUnknownLambdaType


def free_form(entry: ManagedFieldsEntry, bucket: Bucket, text: Observable[str]) -> None:
    reveal_type(entry.fieldsV1)  # reveal: DynamicModel
    reveal_type(entry.fieldsV1["f:spec"])  # reveal: Any
    reveal_type(entry.fieldsV1.a.b["c"])  # reveal: Any
    entry.fieldsV1["a"] = text
    entry.fieldsV1.a.b = LabelSelector(matchLabels={"a": "b"})
    entry.fieldsV1 = {"a": {"b": [text, None]}}
    entry.fieldsV1 = LabelSelector()
    ManagedFieldsEntry(fieldsV1=LabelSelector())
    entry.fieldsV1 = 5  # error: assignment reportAttributeAccessIssue
    ManagedFieldsEntry(fieldsV1=["a"])  # error: arg-type reportArgumentType


def kinds(bucket: Bucket) -> None:
    reveal_type(Bucket.kind_info.group)  # reveal: str
    reveal_type(bucket.kind_info.scope)  # reveal: Literal['Cluster', 'Namespaced'] | None
