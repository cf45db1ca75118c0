"""Secrets that a look at the key of a value doesn't find."""

from __future__ import annotations

from typing import Final

import pytest

from tests.guard.functions import lost_field
from tests.guard.test_notes import Guarded, all_notes, network

# Each has its own secret, which nothing else in the request tells.
TEXTS: Final[dict[str, str]] = {
    "connectionString": "postgres://admin:s3cret-in-url@db.example.org:5432/app",
    "kubeconfig": "apiVersion: v1\nkind: Config\nusers:\n- name: a\n  user: {token: s3cret-in-config}\n",
    "manifest": '{"kind": "Secret", "stringData": {"a": "s3cret-in-json"}}',
    "template": "kind: Secret\nstringData:\n  a: s3cret-in-yaml\n",
    "userData": "#!/bin/sh\nexport DB_PASSWORD=s3cret-in-script\n",
    "header": "Bearer s3cret-in-header",
}


@pytest.mark.parametrize("key", TEXTS)
def test_notes_have_no_secrets_in_texts(key: str) -> None:
    """A text with a secret in it, such as a URL with a password or a manifest of a Secret, isn't noted."""
    cluster = network(Guarded(lost_field), **{key: TEXTS[key]})
    cluster.xr["spec"]["region"] = "us"
    cluster.reconcile()
    assert "vpc-1" in all_notes(cluster)
    assert "s3cret" not in all_notes(cluster)


def test_notes_have_no_secrets_by_the_name_beside_them() -> None:
    """A value isn't noted where a name beside it says that it is a secret, as in the environment of a container."""
    env = [{"name": "DB_PASSWORD", "value": "s3cret-in-env"}]
    cluster = network(Guarded(lost_field), env=env)
    cluster.xr["spec"]["region"] = "us"
    cluster.reconcile()
    assert "s3cret" not in all_notes(cluster)
