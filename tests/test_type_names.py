"""Types and values in words, for messages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._core.base.texts import (
    articled,
    class_in_words,
    json_type_in_words,
    json_value_in_words,
    type_in_words,
    value_in_words,
)

PACKAGE = Path(__file__).parents[1] / "crossplane_lite"


class Item:
    """A class whose name needs `an`."""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ObjectMeta", "an ObjectMeta"),
        ("Ingress", "an Ingress"),
        ("int", "an int"),
        ("User", "a User"),
        ("UniqueName", "a UniqueName"),
        ("UnsetType", "an UnsetType"),
        ("Bucket", "a Bucket"),
        ("XStorageBucket", "an XStorageBucket"),
        ("XR", "an XR"),
        ("X", "an X"),
        ("Xbucket", "a Xbucket"),
        ("HTTPRoute", "an HTTPRoute"),
        ("S3Bucket", "an S3Bucket"),
        ("APIService", "an APIService"),
        ("IPAddress", "an IPAddress"),
        ("EC2Instance", "an EC2Instance"),
        ("UDPRoute", "a UDPRoute"),
        ("VPC", "a VPC"),
        ("NATGateway", "a NATGateway"),
        ("EResource", "an EResource"),
        ("1Bucket", "a 1Bucket"),
        ("(no kind)", "a (no kind)"),
        ("", "a "),
    ],
)
def test_article(name: str, words: str) -> None:
    """A name has the article that it is spoken with."""
    assert articled(name) == words


def test_module() -> None:
    """A module or an apiVersion stands behind the name where it is given."""
    assert articled("Rule", "models.queue.v1") == "a Rule of models.queue.v1"
    assert class_in_words(Item, with_module=True) == f"an Item of {__name__}"
    assert class_in_words(int, with_module=True) == "an integer"


@pytest.mark.parametrize(
    ("value", "words", "json_words"),
    [
        ("x", "a string", "a string"),
        (5, "an integer", "an integer"),
        (True, "a boolean", "a boolean"),
        (2.5, "a float", "a number"),
        ([], "a list", "a list"),
        ({}, "a dict", "an object"),
        (None, "None", "null"),
        (b"x", "bytes", "bytes"),
        (Item(), "an Item", "an Item"),
        (Item, "a class", "a class"),
    ],
)
def test_type(value: Any, words: str, json_words: str) -> None:
    """Values of code go by Python's classes, those of files by JSON's types, and both have their article."""
    assert type_in_words(value) == words
    assert json_type_in_words(value) == json_words


def test_value() -> None:
    """A value is shown with its type, and None just as it is."""
    assert value_in_words("two") == "'two' that is a string"
    assert value_in_words("two" * 99, "'two…") == "'two… that is a string"
    assert value_in_words(None) == "None"
    assert json_value_in_words({}, "{}") == "{} that is an object"
    assert json_value_in_words(None, "None") == "null"


def test_no_module_writes_an_article_itself() -> None:
    """No message of the package puts its own article before the name of a class, which is wrong for `an int`."""
    own = re.compile(r"\ban? \{(type\(|[^{}]*__name__)")
    found = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if own.search(line)
    ]
    assert found == []
