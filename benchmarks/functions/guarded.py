"""The guard over h2, in front of a server whose address is the second argument."""

import sys

from crossplane_lite.runtime.guarding import command


def main():
    address, target = sys.argv[1:]
    command(["--target", target, "--insecure", "--transport", "h2", "--address", address])
