"""Finds the login for a registry that docker, podman or a helper program of theirs has saved."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ...errors import InputError

TOKEN: Final = "<token>"
"""The user of a login with an identity token."""


def saved_login(host: str) -> tuple[str, str] | None:
    """Return the user and the password that are saved for a registry, by docker, podman or a helper
    program of theirs.

    Raises:
        InputError: A file with logins isn't JSON, or the helper program fails.
    """
    named = os.environ.get("REGISTRY_AUTH_FILE")
    folder = os.environ.get("DOCKER_CONFIG") or os.path.join(os.path.expanduser("~"), ".docker")
    run = os.environ.get("XDG_RUNTIME_DIR")
    places = [named] if named else [os.path.join(folder, "config.json")]
    places += [os.path.join(run, "containers", "auth.json")] if run and not named else []
    for place in places:
        try:
            if login := _login_in(json.loads(Path(place).read_bytes()), host, place):
                return login
        except FileNotFoundError:
            continue
        except (OSError, ValueError, AttributeError, KeyError, TypeError) as e:
            # such as a list for a mapping
            raise InputError(f"the file of logins {place} can't be read: {e}") from None
    return None


def _login_in(saved: Mapping[str, Any], host: str, place: str) -> tuple[str, str] | None:
    helper = (saved.get("credHelpers") or {}).get(host) or saved.get("credsStore")
    if helper and "/" not in helper:
        try:
            done = subprocess.run(
                [f"docker-credential-{helper}", "get"],
                input=host,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as e:
            raise InputError(
                f"{place} names the program docker-credential-{helper}, which can't be run: {e}"
            ) from None
        if done.returncode == 0:
            told = json.loads(done.stdout)
            return told["Username"], told["Secret"]
    entry = (
        (saved.get("auths") or {}).get(host)
        or (saved.get("auths") or {}).get(f"https://{host}")
        or {}
    )
    if entry.get("identitytoken"):
        return TOKEN, entry["identitytoken"]
    if entry.get("auth"):
        user, _, password = base64.b64decode(entry["auth"], validate=True).decode().partition(":")
        return user, password
    return (
        (entry["username"], entry["password"])
        if entry.get("username") and entry.get("password")
        else None
    )
