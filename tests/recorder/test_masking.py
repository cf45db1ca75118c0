"""Secret values in recordings."""

from __future__ import annotations

import base64
import contextlib
import json
import time
from typing import Any

import pytest

from crossplane_lite._tools.recorder.masking import masked, prepared
from crossplane_lite._tools.recorder.messages import as_json
from crossplane_lite._tools.recorder.recording import REDACTED
from crossplane_lite.proto import _view
from tests.behaviour.test_secrets import sources_of
from tests.support import request

SECRET = "s3cr3t-v4lue-of-someone"
IN_BASE64 = base64.b64encode(SECRET.encode()).decode()


def _request(resource: Any = None, **fields: Any) -> bytes:
    composite = {"kind": "XNetwork", "metadata": {"name": "example"}, "spec": {"text": f"http://x:{SECRET}@y"}}
    resources = {"one": {"resource": resource or {"kind": "Bucket"}}}
    state = {"composite": {"resource": composite}, "resources": resources}
    return json.dumps({"observed": state, **fields}).encode()


SOURCES: dict[str, bytes] = {
    "credentials": _request(credentials={"aws": {"credentialData": {"data": {"key": IN_BASE64}}}}),
    "details": _request(desired={"resources": {"two": {"connectionDetails": {"password": IN_BASE64}}}}),
    "secret": _request({"kind": "Secret", "apiVersion": "v1", "data": {"password": IN_BASE64}}),
    "text": _request({"kind": "Secret", "apiVersion": "v1", "stringData": {"password": SECRET}}),
    "manifest": _request({"kind": "Object", "spec": {"manifest": {"kind": "Secret", "data": {"password": IN_BASE64}}}}),
    "required": _request(
        requiredResources={"s": {"items": [{"resource": {"kind": "Secret", "data": {"p": IN_BASE64}}}]}}
    ),
    "list": _request({"kind": "SecretList", "items": [{"data": {"password": IN_BASE64}}]}),
    "context": _request(context={"all": [{"kind": "Secret", "data": {"password": IN_BASE64}}]}),
    "input": _request(input={"kind": "Input", "of": {"kind": "Secret", "data": {"password": IN_BASE64}}}),
}


SECRET_OBJECT = {"kind": "Secret", "data": {"p": IN_BASE64}}
# Secrets as JSON in a string, in which no field can be marked as masked.
TEXTS: dict[str, bytes] = {
    "annotation": _request(
        {"kind": "Object", "metadata": {"annotations": {"last": json.dumps({"manifest": SECRET_OBJECT})}}}
    ),
    "config map": _request({"kind": "ConfigMap", "data": {"objects.json": json.dumps([SECRET_OBJECT], indent=1)}}),
    "JSON in JSON": _request({"kind": "ConfigMap", "data": {"a": json.dumps({"b": json.dumps(SECRET_OBJECT)})}}),
    "list": _request({"kind": "ConfigMap", "data": {"a": '{"kind": "SecretList", "items": [{"data": %s}]}'}}).replace(
        b"%s", json.dumps(json.dumps({"p": IN_BASE64}))[1:-1].encode()
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_secrets_in_texts_are_masked(name: str) -> None:
    """The values of a Secret in JSON in a string are masked there, and in the other texts."""
    made = prepared(TEXTS[name])
    assert SECRET.encode() not in made
    assert IN_BASE64.encode() not in made
    assert b"http://x:[secret]@y" in made
    assert _keys(json.loads(TEXTS[name])) == _keys(json.loads(made))


@pytest.mark.parametrize("name", SOURCES)
def test_secret_values_are_masked_everywhere(name: str) -> None:
    """A secret value is in no form left, neither in its own place nor in a text; its key is."""
    made = prepared(SOURCES[name])
    assert SECRET.encode() not in made
    assert IN_BASE64.encode() not in made
    assert REDACTED.encode() in made
    assert b"http://x:[secret]@y" in made
    before, after = json.loads(SOURCES[name]), json.loads(made)
    assert _keys(before) == _keys(after)


@pytest.mark.parametrize("name", sources_of(SECRET))
def test_recordings_have_the_same_secrets_masked(name: str) -> None:
    """What is masked in results, conditions and logs is masked in the recording of a function that is served, too."""
    asked = _view.RunFunctionRequest.FromString(request(**sources_of(SECRET)[name]))
    made = masked([as_json(asked)])[0]
    assert SECRET.encode() not in made
    assert IN_BASE64.encode() not in made


DEEPER: list[tuple[bytes, Any]] = [
    (b"5432", {"port": 5432, "text": "at 5432", "is": True}),
    (b'["10.0.0.1", "10.0.0.2"]', {"addresses": ["10.0.0.1", "10.0.0.2"]}),
    (b'p"q-long-secret-value"tail', {"policy": json.dumps({"key": 'p"q-long-secret-value"tail'})}),
    ("pässwörd-of-many".encode(), {"policy": json.dumps({"key": "pässwörd-of-many"})}),
    (b"othing-to-see-77", {"text": "a line\nothing-to-see-77"}),
]


@pytest.mark.parametrize(("secret", "spec"), DEEPER)
def test_what_is_masked_stays_json(secret: bytes, spec: Any) -> None:
    """A secret value in a number, in JSON within a string or behind an escape is masked, and the content stays JSON."""
    details = {"one": {"connectionDetails": {"value": base64.b64encode(secret).decode()}}}
    resource = {"kind": "Bucket", "spec": spec}
    made = prepared(_request(resource, desired={"resources": details}))
    found = json.loads(made)["observed"]["resources"]["one"]["resource"]["spec"]
    assert found.keys() == spec.keys()
    assert found.get("is", True) is True
    assert secret not in made or secret[:1] == b"["
    assert "[secret]" in json.dumps(found) or secret[:1] == b"["


def test_the_copy_of_kubectl_has_no_secret() -> None:
    """A Secret from which the values were taken out before keeps none in kubectl's annotation either."""
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps({"data": {"p": IN_BASE64}})}
    made = prepared(_request({"kind": "Secret", "metadata": {"annotations": annotations}, "data": {"p": REDACTED}}))
    assert IN_BASE64.encode() not in made


def _keys(one: Any) -> Any:
    if isinstance(one, dict):
        return {key: _keys(value) for key, value in one.items()}
    return [_keys(value) for value in one] if isinstance(one, list) else None


def test_what_has_no_secrets_stays_as_it_is() -> None:
    """A content without secret values is written byte by byte, in one line."""
    content = _request()
    assert prepared(content) is content
    assert b"\n" not in prepared(content.replace(b" ", b"\n"))


def test_what_crossplane_has_masked_masks_nothing_else() -> None:
    """The mark of a masked value isn't taken for a secret value."""
    secret = {"kind": "Secret", "data": {"password": REDACTED}}
    content = _request(secret, desired={"composite": {"resource": {"status": {"text": f"it is {REDACTED}"}}}})
    assert json.loads(prepared(content)) == json.loads(content)


@pytest.mark.parametrize("name", SOURCES)
def test_what_crossplane_has_taken_out_stays_as_it_is(name: str) -> None:
    """A content whose secret values were all taken out before is written byte by byte; one that is left is found."""
    content = SOURCES[name]
    for value in (IN_BASE64, SECRET):
        content = content.replace(f'": "{value}"'.encode(), f'": "{REDACTED}", "}}\\"": "{REDACTED}"'.encode())
    assert prepared(content) is content
    at = content.rindex(REDACTED.encode())
    left = content[:at] + IN_BASE64.encode() + content[at + len(REDACTED) :]
    assert IN_BASE64.encode() not in prepared(left)
    assert IN_BASE64.encode() not in prepared(
        left.replace(b'ata": {', b'\\u0061ta": {').replace(b'ils"', b'il\\u0073"')
    )


@pytest.mark.parametrize("space", [b" ", b"\t", b'"":', b'"\\'])
def test_a_hostile_content_takes_no_time(space: bytes) -> None:
    """The search for what is left takes a time that grows with the length, whatever is there."""
    content = b'{"kind": "Secret", "data": {"a": "**REDACTED**"' + space * 300_000 + b'"data"' + space * 300_000 + b"}"
    began = time.process_time()
    with contextlib.suppress(ValueError):
        prepared(content)
    assert time.process_time() - began < 2


def test_an_answer_has_the_secrets_of_its_request_masked() -> None:
    """Values of a request that the answer repeats are masked there, too."""
    asked = json.loads(SOURCES["credentials"])
    answered = {"results": [{"message": f"can't log in with {SECRET}"}]}
    assert json.loads(masked([asked, answered])[1]) == {"results": [{"message": "can't log in with [secret]"}]}


def test_names_are_never_masked() -> None:
    """A password that is the name of a resource doesn't hide the resource."""
    secret = {"kind": "Secret", "metadata": {"name": "database"}, "stringData": {"password": "database"}}
    assert json.loads(prepared(_request(secret)))["observed"]["resources"]["one"]["resource"]["metadata"] == {
        "name": "database"
    }


@pytest.mark.parametrize("content", [b"", b"[]", b"7", b'{"a": ', b'{"a":\n1', b"{" * 100_000 + b"\n}"])
def test_what_is_no_object_is_refused(content: bytes) -> None:
    """A content that can't be an object is a ValueError."""
    with pytest.raises(ValueError):
        prepared(content)
