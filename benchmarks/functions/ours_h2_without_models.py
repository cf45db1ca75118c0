"""Our side over h2, without generated models."""

import sys

from benchmarks.functions.ours_without_models import compose


def main():
    compose.main(["--insecure", "--transport", "h2", "--address", sys.argv[1]])
