"""The list of all commands of `crossplane-lite`, with the module and the help of each."""

from __future__ import annotations

from typing import Final, NamedTuple


class Command(NamedTuple):
    """A command of `crossplane-lite`.

    Attributes:
        module: The module with the function `command(argv)`, which returns the exit status. The
            name is relative to the package. If the command uses argparse, the module has
            `make_parser()`, too. Empty for `help`.
        about: The command's line in `crossplane-lite --help`.
        examples: Command lines for the command's help, without `crossplane-lite`. Empty if the
            parser has examples.
    """

    module: str
    about: str
    examples: tuple[str, ...] = ()


_FILES: Final = "xr.yaml composition.yaml functions.yaml"

COMMANDS: dict[str, Command] = {
    "add": Command(
        "_tools.codegen.add",
        "add kinds of a provider's package, or of Kubernetes, to the models of a project",
        (
            "add provider-aws-ec2.xpkg VPC Subnet",
            "add xpkg://xpkg.crossplane.io/crossplane-contrib/provider-aws-ec2:v2.0.0 VPC",
            "add kubernetes Deployment Service",
            "add provider-aws-ec2-v2.xpkg --upgrade",
        ),
    ),
    "check": Command(
        "_tools.check.command",
        "find what goes wrong silently in the source of functions",
        ("check network", "check network/function.py"),
    ),
    "completion": Command(
        "_tools.commands.completion", "print a script with which a shell completes what is typed"
    ),
    "conformance": Command(
        "testing.conformance",
        "check a running function against the functions specification",
        ("conformance localhost:9443", "conformance localhost:9443 --xr xr.yaml"),
    ),
    "dev": Command(
        "_tools.develop.command",
        "serve a function while it is written, and say what is asked and answered",
    ),
    "diff": Command(
        "_tools.diff.command",
        "show what a rollout changes, or what a release does",
        (
            f"diff {_FILES} --kube-context",
            f"diff {_FILES} --observed-resources observed.yaml --against HEAD~1",
        ),
    ),
    "generate": Command(
        "_tools.codegen.command",
        "make models from API definitions",
        (
            "generate xrd.yaml crds -o models",
            "generate --kube-context -o models --only '*.aws.upbound.io/*'",
            "generate --check --uses network",
        ),
    ),
    "generate-input": Command(
        "_tools.codegen.input_crd",
        "print the CustomResourceDefinition of a function's input",
        ("generate-input function_naming.input:Input -o package/input.yaml",),
    ),
    "graph": Command(
        "_tools.graph.command",
        "draw what depends on what in a composition",
        (f"graph {_FILES}", f"graph {_FILES} --simulate --output vpc.svg"),
    ),
    "guard": Command(
        "runtime.guarding",
        "protect what a function in any language composes from values that go missing",
        ("guard --target localhost:9444 --insecure", "guard --manifest function-network"),
    ),
    "help": Command("", "list the commands, or print the help of one"),
    "image": Command("_tools.packaging.image", "make a function's container image without Docker"),
    "init": Command("_tools.scaffold.command", "write the project of a new function"),
    "krm": Command(
        "krm.command",
        "run a KRM function, or begin one",
        (
            "krm run label:transform < list.yaml",
            "krm run label:transform -f config.yaml --diff resources.yaml",
        ),
    ),
    "record": Command(
        "_tools.recorder.record",
        "record what the functions of a control plane are asked and answer",
    ),
    "render": Command(
        "_tools.render.command",
        "do one reconcile from files and print what it composes",
        (
            f"render {_FILES} -o observed.yaml",
            "render xr.yaml --function network.function:compose --watch",
        ),
    ),
    "replay": Command(
        "_tools.recorder.replay",
        "ask another version of a function what was recorded, and compare the answers",
        (
            "replay recording --function network.function:compose",
            "replay 'recording#team/example@2026-11-24T18:30' --against localhost:9443",
            "replay recording --against localhost:9443 --degrade vpc.status.atProvider.id",
        ),
    ),
    "report": Command(
        "_tools.recorder.report.command",
        "show a recording as a page, reconcile by reconcile",
        ("report recording -o report.html", "report recording --function network.function:compose"),
    ),
    "serve": Command(
        "runtime.flags",
        "serve one function over gRPC",
        (
            "serve network.function:compose --insecure",
            "serve network.function:compose --tls-certs-dir /tls/server",
        ),
    ),
    "simulate": Command(
        "_tools.recorder.report.simulation",
        "reconcile until nothing changes and show what appears when",
        (f"simulate {_FILES} --crds crds", f"simulate {_FILES} --drop vpc"),
    ),
    "validate": Command(
        "_tools.validate.command",
        "check files of composites, Compositions and definitions against each other",
        (
            "validate package example",
            "validate . --crds xpkg://xpkg.crossplane.io/crossplane-contrib/provider-nop:v0.4.0",
        ),
    ),
    "xpkg": Command("_tools.packaging.xpkg", "build, show, check and push Crossplane packages"),
}

GROUPS: dict[str, tuple[str, ...]] = {
    "begin": ("init", "add", "generate", "generate-input"),
    "preview": ("check", "validate", "render", "simulate", "graph", "diff", "dev"),
    "ship": ("image", "xpkg", "serve", "guard", "krm"),
    "inspect": ("record", "replay", "report"),
    "maintain": ("conformance", "completion", "help"),
}
"""The order of commands in `crossplane-lite --help`. Each command is in one group."""
