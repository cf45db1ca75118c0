"""Our side with mutual TLS, without generated models; the second argument is the folder of
certificates.
"""

import sys

from benchmarks.functions.ours_without_models import compose


def main(transport="grpcio"):
    compose.main(
        ["--tls-certs-dir", sys.argv[2], "--transport", transport, "--address", sys.argv[1]]
    )
