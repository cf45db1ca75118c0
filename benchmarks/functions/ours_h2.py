"""Our side over h2."""

import sys

from benchmarks.functions.ours import compose


def main():
    compose.main(["--insecure", "--transport", "h2", "--address", sys.argv[1]])
