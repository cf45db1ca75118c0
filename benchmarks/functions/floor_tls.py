"""The floor with mutual TLS."""

import sys
from pathlib import Path

import grpc

from benchmarks.functions import floor


def main():
    certificate, key, ca = (
        Path(sys.argv[2], name).read_bytes() for name in ("tls.crt", "tls.key", "ca.crt")
    )
    floor.main(grpc.ssl_server_credentials([(key, certificate)], ca, require_client_auth=True))
