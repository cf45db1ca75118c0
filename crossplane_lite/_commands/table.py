"""The list of all commands of `crossplane-lite`, with the module and the help of each."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["COMMANDS", "Command"]


class Command(NamedTuple):
    """A command of `crossplane-lite`.

    Attributes:
        module: The module with the function `command(argv)`, which returns the exit status. The name is relative to
            the package. If the command uses argparse, the module has `make_parser()`, too. Empty for `help`.
        about: The command's line in `crossplane-lite --help`.
        examples: Command lines for the command's help, without `crossplane-lite`. Empty if the parser has examples.
    """

    module: str
    about: str
    examples: tuple[str, ...] = ()


_FILES: Final = "xr.yaml composition.yaml functions.yaml"

COMMANDS: Final = {
    "completion": Command(
        "_commands.completion",
        "print a script with which a shell completes commands and flags",
    ),
    "conformance": Command(
        "testing.conformance",
        "check a running function against the functions specification",
        ("conformance localhost:9443", "conformance localhost:9443 --xr xr.yaml"),
    ),
    "dev": Command("develop.command", "serve a function while it is written, and say what is asked and answered"),
    "diff": Command(
        "diff.command",
        "show what a rollout changes, or what a release does",
        (f"diff {_FILES} --kube-context", f"diff {_FILES} --observed-resources observed.yaml --against HEAD~1"),
    ),
    "generate": Command(
        "codegen.command",
        "make models from API definitions",
        (
            "generate xrd.yaml crds -o models",
            "generate --kube-context -o models --only '*.aws.upbound.io/*'",
            "generate --check --uses network",
        ),
    ),
    "generate-input": Command(
        "codegen.input_crd",
        "print the CustomResourceDefinition of a function's input",
        ("generate-input function_naming.input:Input -o package/input.yaml",),
    ),
    "graph": Command(
        "graph.command",
        "draw what depends on what in a composition",
        (f"graph {_FILES}", f"graph {_FILES} --simulate --output vpc.svg"),
    ),
    "help": Command("", "list the commands, or print the help of one"),
    "image": Command("packaging.image", "make a function's container image without Docker"),
    "init": Command("scaffold.command", "write the project of a new function"),
    "krm": Command(
        "krm.command",
        "run a KRM function, or begin one",
        ("krm run label:transform < list.yaml", "krm run label:transform -f config.yaml --diff resources.yaml"),
    ),
    "prune": Command("packaging.prune", "take out of installed packages what a served function never loads"),
    "render": Command(
        "render.command",
        "do one reconcile from files and print what it composes",
        (f"render {_FILES} -o observed.yaml", "render xr.yaml --function network.function:compose --watch"),
    ),
    "serve": Command(
        "runtime.flags",
        "serve one function over gRPC",
        ("serve network.function:compose --insecure", "serve network.function:compose --tls-certs-dir /tls/server"),
    ),
    "simulate": Command(
        "simulate.command",
        "reconcile until nothing changes and show what appears when",
        (f"simulate {_FILES} --crds crds", f"simulate {_FILES} --drop vpc"),
    ),
    "xpkg": Command("packaging.xpkg", "build, show and check Crossplane packages"),
}
