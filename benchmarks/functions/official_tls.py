"""The official SDK's side with mutual TLS, without generated models."""

import sys

from crossplane.function import logging, runtime

from benchmarks.functions.official_without_models import FunctionRunner


def main():
    logging.configure()
    runtime.serve(
        FunctionRunner(), sys.argv[1], creds=runtime.load_credentials(sys.argv[2]), insecure=False
    )
