"""A control plane on 127.0.0.1, without containers or root: about ten seconds from nothing to a running Crossplane."""

from __future__ import annotations

import base64
import contextlib
import datetime
import ipaddress
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from tests.helpers.ports import free_ports

from . import programs
from .kube import Kube, wait

__all__ = ["Plane"]

SYSTEM: Final = "crossplane-system"
_ROOT: Final = Path(__file__).resolve().parents[2]
_LIFE: Final = 3600  # everything ends by itself after this many seconds
_PEM: Final = serialization.Encoding.PEM

_AUDIT: Final = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived", "ResponseStarted", "Panic"],
    "rules": [
        {"level": "None", "nonResourceURLs": ["*"]},
        {"level": "None", "verbs": ["get", "list", "watch"]},
        {"level": "None", "resources": [{"group": "", "resources": ["events"]}, {"group": "coordination.k8s.io"}]},
        {"level": "Metadata"},
    ],
}


class Plane:
    """A control plane: its files are in one folder, so that another process can use it, too.

    Args:
        folder: The folder of a control plane that runs.

    Attributes:
        folder: The folder: `kubeconfig`, `log/`, `tls/` (a server's certificates), `cloud.jsonl`.
        kube: A client.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports: dict[str, int] = json.loads((folder / "ports.json").read_text())
        self.kube = Kube(self.kubeconfig)

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    @property
    def tls(self) -> Path:
        """The folder of tls.crt, tls.key and ca.crt of function servers, signed by Crossplane's own authority."""
        return self.folder / "tls"

    @property
    def client_tls(self) -> Path:
        """The folder of the certificate with which Crossplane calls functions."""
        return self.folder / "client"

    @classmethod
    def start(cls, folder: Path, sources: Path, *flags: str, delay: float = 1) -> Plane:
        """Start a control plane in a new folder.

        Args:
            folder: The folder, which is made.
            sources: The folder of `programs.found`.
            flags: More flags of Crossplane.
            delay: How many seconds the provider's cloud takes to make a thing.
        """
        for part in ("", "log", "pki", "cache"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        names = ("etcd", "peer", "api", "webhook", "metrics", "probe")
        (folder / "ports.json").write_text(json.dumps(dict(zip(names, free_ports(len(names)), strict=True))))
        programs.unpacked(sources, folder / "bin")
        _write_configuration(folder)
        plane = cls(folder)
        try:
            plane._start_kubernetes()
            plane._start_crossplane(sources / "crossplane", flags)
            crds = [one for path in sorted((sources / "crds").glob("*.yaml")) for one in _documents(path)]
            plane.kube.apply(*crds)
            plane.start_provider(delay)
        except BaseException:
            plane.stop()
            raise
        return plane

    def stop(self) -> None:
        """End all processes, in the order in which they need each other, and check that their ports are free."""
        for name in ("provider", "crossplane", "controllers", "apiserver", "etcd"):
            self.end(name)
        for port in self.ports.values():
            with socket.socket() as one:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                one.bind(("127.0.0.1", port))
        for name in programs.NAMES:
            (self.folder / "bin" / name).unlink()  # 285 MB

    def run(self, name: str, *command: str | Path, **environment: str) -> int:
        """Start a process, which writes to log/NAME.log; return its number."""
        with open(self.folder / "log" / f"{name}.log", "ab") as log:
            process = subprocess.Popen(
                ["timeout", str(_LIFE), *map(str, command)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd=_ROOT,
                env={**os.environ, "KUBECONFIG": str(self.kubeconfig), **environment},
            )
        (self.folder / f"{name}.pid").write_text(str(process.pid))
        return process.pid

    def end(self, name: str, how: int = signal.SIGTERM) -> None:
        """End a process and all that it started, if it runs; wait until it has ended."""
        path = self.folder / f"{name}.pid"
        if not path.exists():
            return
        group = int(path.read_text())
        path.unlink()
        for number in (how, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, number)
            if wait(lambda: not _runs(group), 15, 0.05):
                return
        raise RuntimeError(f"{name} doesn't end")

    def start_provider(self, delay: float = 1) -> None:
        """Start the provider; it finds its cloud again."""
        command = (sys.executable, "-m", "tests.cluster.provider", self.folder, "--delay", str(delay))
        self.run("provider", *command, PYTHONPATH=str(_ROOT))

    def calls(self, function: str) -> int:
        """Return how many calls of a function Crossplane has made since its start."""
        return int(self._measured("function_run_function_response_total", function))

    def milliseconds(self, function: str) -> float:
        """Return the mean time of a call of a function that Crossplane has made since its start."""
        seconds, calls = (self._measured(f"function_run_function_seconds_{one}", function) for one in ("sum", "count"))
        return round(seconds * 1000 / calls, 2)

    def _measured(self, metric: str, function: str) -> float:
        """Return the sum of a metric of Crossplane over all labels but the function's name."""
        address = f"http://127.0.0.1:{self.ports['metrics']}/metrics"
        with urllib.request.urlopen(address, timeout=10) as answer:
            text = answer.read().decode()
        total = 0.0
        for line in text.splitlines():
            if line.startswith(metric + "{") and f'function_name="{function}"' in line:
                total += float(line.rpartition(" ")[2])
        return total

    def cloud(self) -> list[dict[str, Any]]:
        """Return what happened in the provider's cloud."""
        path = self.folder / "cloud.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def audit(self, start: int = 0) -> Iterator[dict[str, Any]]:
        """Yield the entries of the audit log, which has all writes, from a position in the file."""
        with open(self.folder / "log" / "audit.jsonl", "rb") as file:
            file.seek(start)
            for line in file:
                with contextlib.suppress(ValueError):  # the last line may still be written
                    yield json.loads(line)

    def audit_size(self) -> int:
        return (self.folder / "log" / "audit.jsonl").stat().st_size

    def _start_kubernetes(self) -> None:
        port, binary, pki = self.ports, self.folder / "bin", self.folder / "pki"
        etcd, peer = (f"http://127.0.0.1:{port[name]}" for name in ("etcd", "peer"))
        self.run(
            "etcd",
            *(binary / "etcd", "--data-dir", self.folder / "etcd", "--unsafe-no-fsync", "--log-level", "warn"),
            *("--listen-client-urls", etcd, "--advertise-client-urls", etcd, "--listen-peer-urls", peer),
            *("--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}"),
        )
        self._reach("etcd", f"{etcd}/health")
        self.run(
            "apiserver",
            *(binary / "kube-apiserver", "--etcd-servers", etcd, "--bind-address", "127.0.0.1"),
            *("--advertise-address", "127.0.0.1", "--secure-port", str(port["api"]), "--cert-dir", pki),
            *("--tls-cert-file", pki / "api.crt", "--tls-private-key-file", pki / "api.key"),
            *("--token-auth-file", pki / "tokens.csv", "--authorization-mode", "RBAC"),
            *("--service-account-issuer", "https://kubernetes.default.svc"),
            *("--service-account-key-file", pki / "api.key", "--service-account-signing-key-file", pki / "api.key"),
            *("--service-cluster-ip-range", "10.96.0.0/16", "--disable-admission-plugins", "ServiceAccount"),
            *("--endpoint-reconciler-type", "none", "--audit-policy-file", self.folder / "audit.yaml"),
            *("--audit-log-path", self.folder / "log" / "audit.jsonl", "--audit-log-maxsize", "500"),
        )

        def ready() -> bool:
            with contextlib.suppress(Exception):
                return bool(self.kube.get("/readyz") == "ok")
            return False

        if not wait(ready, 60):
            raise TimeoutError(f"the API server isn't ready: {self._last_lines('apiserver')}")
        self.run("controllers", self.folder / "bin" / "controllers", "--kubeconfig", self.kubeconfig)

    def _start_crossplane(self, manifests: Path, flags: Sequence[str]) -> None:
        program = self.folder / "bin" / "crossplane"
        self.kube.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SYSTEM}})
        init = [
            *(program, "core", "init", "-n", SYSTEM, "--activation", "*", "--cr-ds-path", manifests / "crds"),
            *("--webhook-configurations-path", manifests / "webhookconfigurations"),
            *("--webhook-service-name", "crossplane-webhooks", "--webhook-service-namespace", SYSTEM),
            *("--webhook-service-port", "9443", "--tlsca-secret-name", "crossplane-root-ca"),
            *("--tls-server-secret-name", "crossplane-tls-server"),
            *("--tls-client-secret-name", "crossplane-tls-client"),
        ]

        def initialised() -> bool:
            # It fails until the API server serves the CRDs that it has made. A pod would start it again, too.
            with open(self.folder / "log" / "init.log", "ab") as log:
                environment = {**os.environ, "KUBECONFIG": str(self.kubeconfig)}
                return subprocess.run(list(map(str, init)), env=environment, stdout=log, stderr=log).returncode == 0

        if not wait(initialised, 60, 1):
            raise TimeoutError(f"crossplane core init fails: {self._last_lines('init')}")
        self._take("crossplane-tls-client", self.client_tls)
        authority = self._take("crossplane-root-ca", self.folder / "root")
        _write_leaf(self.tls, authority)
        hook = f"https://127.0.0.1:{self.ports['webhook']}/validate-no-usages"
        path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/crossplane-no-usages"
        configuration = self.kube.get(path)
        for webhook in configuration["webhooks"]:  # there are no Services here
            webhook["clientConfig"] = {"url": hook, "caBundle": base64.b64encode(authority["tls.crt"]).decode()}
        self.kube.put(path, configuration)
        self.run(
            "crossplane",
            *(program, "core", "start", "--debug", "-n", SYSTEM, "--package-runtime", "External"),
            *("--tls-client-certs-dir", self.client_tls, "--tls-server-certs-dir", self.tls),
            *("--webhook-port", str(self.ports["webhook"]), "--metrics-port", str(self.ports["metrics"])),
            *("--health-probe-port", str(self.ports["probe"]), "--xpkg-cache-dir", self.folder / "cache"),
            *("--enable-operations", *flags),
        )
        self._reach("crossplane", f"http://127.0.0.1:{self.ports['probe']}/readyz")

    def _take(self, secret: str, to: Path) -> dict[str, bytes]:
        """Write a Secret's files into a folder, and return them."""
        data = self.kube.get(f"/api/v1/namespaces/{SYSTEM}/secrets/{secret}")["data"]
        files = {name: base64.b64decode(value) for name, value in data.items()}
        to.mkdir()
        for name, content in files.items():
            (to / name).write_bytes(content)
        return files

    def _reach(self, name: str, address: str) -> None:
        def reached() -> bool:
            with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):
                return True
            return False

        if not wait(reached, 60):
            raise TimeoutError(f"{name} can't be reached: {self._last_lines(name)}")

    def _last_lines(self, name: str) -> str:
        return "\n".join((self.folder / "log" / f"{name}.log").read_text(errors="replace").splitlines()[-10:])


def _runs(process: int) -> bool:
    """Return whether a process runs; what is left of one that its parent hasn't waited for doesn't."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def _documents(path: Path) -> list[dict[str, Any]]:
    return [one for one in yaml.safe_load_all(path.read_text()) if one]


def _write_configuration(folder: Path) -> None:
    """Write the certificate of the API server, its token, the audit policy and the kubeconfig."""
    pki, port = folder / "pki", json.loads((folder / "ports.json").read_text())["api"]
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kube-apiserver")])
    builder = _leaf_builder(name, name, key).add_extension(x509.BasicConstraints(True, None), critical=True)
    (pki / "api.crt").write_bytes(builder.sign(key, hashes.SHA256()).public_bytes(_PEM))
    (pki / "api.key").write_bytes(_key_bytes(key))
    token = secrets.token_hex(16)
    (pki / "tokens.csv").write_text(f'{token},admin,admin,"system:masters"\n')
    (folder / "audit.yaml").write_text(json.dumps(_AUDIT))
    cluster = {"server": f"https://127.0.0.1:{port}", "certificate-authority": str(pki / "api.crt")}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "tests", "cluster": cluster}],
        "users": [{"name": "admin", "user": {"token": token}}],
        "contexts": [{"name": "tests", "context": {"cluster": "tests", "user": "admin"}}],
        "current-context": "tests",
    }
    (folder / "kubeconfig").write_text(json.dumps(config))


def _write_leaf(to: Path, authority: dict[str, bytes]) -> None:
    """Write a server's certificate as Crossplane's init makes them: the authority's own subject, and no key ids.

    Without a key usage, BoringSSL would take it for self-signed.
    """
    ca = x509.load_pem_x509_certificate(authority["tls.crt"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its country is Earth, which isn't two letters
        subject = ca.subject
    signer = serialization.load_pem_private_key(authority["tls.key"], None)
    key = rsa.generate_private_key(65537, 2048)
    usages = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])
    builder = _leaf_builder(subject, subject, key).add_extension(usages, critical=False)
    builder = builder.add_extension(x509.BasicConstraints(False, None), critical=True)
    uses = (True, False, True, True, False, False, False, False, False)  # as in tests/data/core_init/client.crt
    builder = builder.add_extension(x509.KeyUsage(*uses), critical=True)
    assert isinstance(signer, rsa.RSAPrivateKey)
    to.mkdir()
    (to / "tls.crt").write_bytes(builder.sign(signer, hashes.SHA256()).public_bytes(_PEM))
    (to / "tls.key").write_bytes(_key_bytes(key))
    (to / "ca.crt").write_bytes(authority["tls.crt"])


def _leaf_builder(subject: x509.Name, issuer: x509.Name, key: rsa.RSAPrivateKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.timezone.utc)
    names = [x509.DNSName("localhost"), x509.DNSName("*.localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=5))
        .not_valid_after(now + datetime.timedelta(days=7))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
    )


def _key_bytes(key: rsa.RSAPrivateKey) -> bytes:
    return key.private_bytes(_PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption())


def main() -> None:
    """Start a control plane in the folder that is the argument, and keep it until Ctrl-C."""
    sources = programs.found()
    if sources is None:
        raise SystemExit(programs.MISSING)
    plane = Plane.start(Path(sys.argv[1]).resolve(), sources, *sys.argv[2:])
    print(f"export KUBECONFIG={plane.kubeconfig}", flush=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        time.sleep(_LIFE)
    except KeyboardInterrupt:
        pass
    finally:
        plane.stop()


if __name__ == "__main__":
    main()
