"""What render, simulate and graph share on their command line."""

from __future__ import annotations

import argparse
import itertools
from argparse import ArgumentTypeError
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite._tools.render import arguments
from crossplane_lite._tools.render.arguments import Inputs, duration
from crossplane_lite._tools.render.functions import InProcess
from crossplane_lite._tools.render.pipeline import Selector
from crossplane_lite.errors import InputError
from tests.programs.api_server import ApiServer, Kind, needs_kubectl, serving
from tests.render.files import COMPOSITION, FUNCTIONS, HERE, XR, bucket, put, tell

SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: cloud, namespace: system}\nstringData: {a: b}\n"


def parsed(*argv: object) -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    arguments.add_inputs(parser)
    return arguments.parse(parser, [str(argument) for argument in argv])


def read(*argv: object) -> Inputs:
    """Return what a command line comes to."""
    return arguments.read_inputs(parsed(*argv))


def complaint(capsys: pytest.CaptureFixture[str], *argv: object) -> str:
    """Return the last line with which a command line is refused."""
    with pytest.raises(SystemExit) as caught:
        parsed(*argv)
    assert caught.value.code == 2
    return capsys.readouterr().err.splitlines()[-1].partition("error: ")[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a composite, a Composition and its functions."""
    return put(tmp_path, xr=XR, composition=COMPOSITION, functions=FUNCTIONS)


def test_defaults(folder: Path) -> None:
    """With the three files alone there is nothing observed, nothing in the context and an empty cluster."""
    files = [folder / name for name in ("xr.yaml", "composition.yaml", "functions.yaml")]
    found = read(*files)
    assert found.composite.content["kind"] == "XBucket"
    assert [step.name for step in found.pipeline] == ["bucket", "tell"]
    runners = found.functions
    assert [one.function for one in runners.values() if isinstance(one, InProcess)] == [bucket, tell]
    assert found.cluster.resources(Selector("v1", "Secret", labels={})) == []
    assert (found.observed, found.context, found.timeout, found.checks, found.schema) == ([], {}, 60.0, None, None)
    assert arguments.paths(parsed(*files)) == files


def test_flags_anywhere(folder: Path) -> None:
    """Flags stand before, between and behind the three files, in any order."""
    pieces: list[list[object]] = [[folder / "xr.yaml"], [folder / "composition.yaml"], [folder / "functions.yaml"]]
    flags = [["-e", "a"], ["--timeout=5s"], ["--context-values", "k=v"]]
    wanted = vars(parsed(*itertools.chain(*pieces, *flags)))
    for order in itertools.permutations(range(6)):
        if [one for one in order if one < 3] == [0, 1, 2]:
            argv = itertools.chain.from_iterable((pieces + flags)[one] for one in order)  # type: ignore[operator]
            assert vars(parsed(*argv)) == wanted


def test_one_step(folder: Path) -> None:
    """Without a COMPOSITION, --function is the pipeline, with a name or without."""
    for flag, name in ((f"{HERE}:bucket", f"{HERE}:bucket"), (f"f={HERE}:bucket", "f")):
        found = read(folder / "xr.yaml", "--function", flag)
        assert [(step.name, step.function) for step in found.pipeline] == [(name.rpartition(":")[2], name)]
        runner = found.functions[name]
        assert isinstance(runner, InProcess)
        assert runner.function is bucket


@pytest.mark.parametrize(
    ("flags", "line"),
    [
        ([], "without a COMPOSITION, --function must name the one function to run (none is given)"),
        (["a:b", "c:d"], "without a COMPOSITION, --function must name the one function to run (2 are given)"),
    ],
)
def test_no_composition(folder: Path, flags: Sequence[str], line: str) -> None:
    """Without a COMPOSITION exactly one --function is needed."""
    with pytest.raises(InputError) as caught:
        read(folder / "xr.yaml", *(f"--function={flag}" for flag in flags))
    assert str(caught.value) == line


def test_function_flags_over_documents(folder: Path) -> None:
    """--function wins over the Function document of its name, and makes documents unnecessary."""
    both = [f"--function=function-bucket={HERE}:tell", f"--function=function-tell={HERE}:bucket"]
    for more in ([], [folder / "functions.yaml"]):
        found = read(folder / "xr.yaml", folder / "composition.yaml", *more, *both)
        runners = found.functions
        assert [one.function for one in runners.values() if isinstance(one, InProcess)] == [tell, bucket]


def test_lists(folder: Path) -> None:
    """-e takes lists with commas, as well as a file with one."""
    put(folder, **{"a,b": "", "c": ""})
    with_comma = str(folder / "a,b.yaml")
    found = parsed("x", "-e", "a,b.yaml", "-e", with_comma, "-e", r"d\,e,f")
    assert [str(path) for path in found.required_resources] == ["a", "b.yaml", with_comma, "d,e", "f"]


def test_cluster(folder: Path) -> None:
    """Required resources and credentials are what exists, from files and directories given several times."""
    put(folder / "more", a="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: team}\n")
    put(folder, b="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: team}\n", secret=SECRET)
    found = read(
        *(folder / "xr.yaml", folder / "composition.yaml", folder / "functions.yaml"),
        *("-e", folder / "more", "--required-resources", folder / "b.yaml"),
        *("--function-credentials", folder / "secret.yaml"),
    )
    maps = found.cluster.resources(Selector("v1", "ConfigMap", labels={}))
    assert [one["metadata"]["name"] for one in maps] == ["a", "b"]
    (secret,) = found.cluster.resources(Selector("v1", "Secret", name="cloud", namespace="system"))
    assert secret["data"] == {"a": "Yg=="}


def test_context(folder: Path) -> None:
    """The context comes from values."""
    found = read(folder / "xr.yaml", "--function", f"{HERE}:bucket", "--context-values", 'b={"x": [1, 2]}')
    assert found.context == {"b": {"x": [1, 2]}}


XRD = (
    "apiVersion: apiextensions.crossplane.io/v2\nkind: CompositeResourceDefinition\n"
    "metadata: {name: xbuckets.example.org}\nspec:\n  group: example.org\n  scope: Cluster\n"
    "  names: {kind: XBucket, plural: xbuckets}\n  versions:\n  - name: v1\n    served: true\n"
    "    referenceable: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n"
    "          spec: {type: object, properties: {size: {type: integer}, region: {type: string, default: eu}}}\n"
)


def test_the_xrd_of_the_project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside a COMPOSITION, the project's XRD counts for composites of its kind in the project, and for no others."""
    files = [folder / name for name in ("xr.yaml", "composition.yaml", "functions.yaml")]
    put(folder, xrd=XRD)
    (folder / "crossplane-lite.toml").write_text('[preview]\nxrd = "xrd.yaml"\n')
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    assert read(*files).xrd is None
    monkeypatch.chdir(folder)
    assert read(*files).composite.content["spec"] == {"size": 3, "region": "eu"}
    assert Path("xrd.yaml") in arguments.paths(parsed(*files))
    put(folder, xrd=XRD.replace("XBucket", "Other"))
    assert read(*files).xrd is None
    (folder / "crossplane-lite.toml").write_text("[preview]\nxr = 1\n")
    assert read(*files).xrd is None


def test_xrd(folder: Path) -> None:
    """The defaults of the XRD are filled in."""
    put(folder, xrd=XRD)
    found = read(folder / "xr.yaml", "--function", f"{HERE}:bucket", "--xrd", folder / "xrd.yaml")
    spec = found.composite.content["spec"]
    assert (spec["size"], spec["region"]) == (3, "eu")
    with pytest.raises(InputError, match=r"xr\.yaml"):
        read(folder / "xr.yaml", "--function", f"{HERE}:bucket", "--xrd", folder / "xr.yaml")


def test_schemas(folder: Path) -> None:
    """--crds and --required-schemas say what is known of kinds, and functions can ask for it."""
    crd: dict[str, Any] = {"group": "example.org", "names": {"kind": "Bucket", "plural": "buckets"}}
    put(
        folder / "crds",
        bucket="apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: b}\nspec:\n"
        f"  group: {crd['group']}\n  names: {{kind: Bucket, plural: buckets}}\n  scope: Cluster\n  versions:\n"
        "  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n",
    )
    for flag in ("--crds", "-s"):
        found = read(folder / "xr.yaml", "--function", f"{HERE}:bucket", flag, folder / "crds")
        assert found.schemas is not None
        assert found.cluster.schema("example.org/v1", "Bucket") == found.schemas.find("example.org/v1", "Bucket")
        assert found.cluster.schema("example.org/v1", "Bucket") is not None
        assert found.cluster.schema("example.org/v1", "Other") is None


def test_paths(folder: Path) -> None:
    """Every file and directory of the command line is known, also where it isn't there."""
    flags = ["-o", "o", "-e", "e1", "-e", "e2", "-s", "s", "--function-credentials", "c", "--xrd", "x", "--crds", "d"]
    found = arguments.paths(parsed("xr", "composition", "functions", *flags))
    names = ["xr", "composition", "functions", "o", "x", "s", "c", "e1", "e2", "d"]
    assert [str(path) for path in found] == names


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        ([], "give XR: the current folder has no crossplane-lite.toml"),
        (["xr", "c", "f", "g"], "unrecognized arguments: g"),
        (["xr", "--context-values", "a"], "argument --context-values: 'a' is not KEY=VALUE"),
        (["xr", "--context-values", "=a"], "argument --context-values: '=a' is not KEY=VALUE"),
        (["xr", "--function", "=a:b"], "argument --function: '=a:b' is not NAME=module:function or module:function"),
        (["xr", "--function", "a="], "argument --function: 'a=' is not NAME=module:function or module:function"),
        (
            ["xr", "--timeout", "1y"],
            "argument --timeout: '1y' is not a duration such as 1m30s, 500ms or 90 (seconds)",
        ),
        (["xr", "--context-value=a=b"], "unrecognized arguments: --context-value=a=b"),
    ],
)
def test_wrong_command_lines(capsys: pytest.CaptureFixture[str], argv: list[str], line: str) -> None:
    """A wrong command line is refused with what is wrong, and status 2."""
    assert complaint(capsys, *argv) == line


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("90", 90), ("0.5", 0.5), (".5", 0.5), ("5.", 5), ("1m30s", 90), ("1h", 3600), ("1.5h", 5400)),
        *(("500ms", 0.5), ("2us", 2e-6), ("2\u00b5s", 2e-6), ("2\u03bcs", 2e-6), ("7ns", 7e-9)),
        ("1h1m1s1ms", 3661.001),
    ],
)  # fmt: skip
def test_durations(text: str, value: float) -> None:
    """Durations are Go's, or a number of seconds."""
    assert duration(text) == pytest.approx(value)


@pytest.mark.parametrize(
    "text", ["", "0", "0s", "-1s", "+1s", "1 s", "s", "1m30", "1d", "inf", "nan", "1e3", "1_0", "٣"]
)
def test_wrong_durations(text: str) -> None:
    """What is no duration, or none that is more than nothing, is refused."""
    with pytest.raises(ArgumentTypeError, match="is not a duration such as"):
        duration(text)


# Twenty of the longest parts are just short enough to be read.
@given(st.lists(st.tuples(st.integers(0, 999), st.sampled_from(["h", "m", "s", "ms"])), min_size=1, max_size=20))
def test_durations_add_up(parts: list[tuple[int, str]]) -> None:
    """A duration of several parts is their sum."""
    units = {"h": 3600, "m": 60, "s": 1, "ms": 0.001}
    wanted = sum(number * units[unit] for number, unit in parts)
    text = "".join(f"{number}{unit}" for number, unit in parts)
    if wanted > 0:
        assert duration(text) == pytest.approx(wanted)
    else:
        with pytest.raises(ArgumentTypeError, match="duration"):
            duration(text)


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiServer]:
    """Serve the composite's kind and another to the context `dev`."""
    kinds = [
        Kind("example.org/v1", "XBucket", "xbuckets", namespaced=False),
        Kind("example.org/v1", "Bucket", "buckets", namespaced=False),
        Kind("v1", "ConfigMap", "configmaps"),
    ]
    api = ApiServer(kinds)
    api.objects += [
        {
            **{"apiVersion": "example.org/v1", "kind": "XBucket", "metadata": {"name": "photos", "uid": "live"}},
            "spec": {"crossplane": {"resourceRefs": [{"apiVersion": "example.org/v1", "kind": "Bucket", "name": "b"}]}},
            "status": {"seen": True},
        },
        {
            **{"apiVersion": "example.org/v1", "kind": "Bucket"},
            "metadata": {"name": "b", "annotations": {"crossplane.io/composition-resource-name": "bucket"}},
        },
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "team"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "d", "namespace": "team"}},
    ]
    (tmp_path / "api").mkdir()
    with serving(tmp_path / "api", monkeypatch, api):
        yield api


@pytest.mark.slow
@needs_kubectl
def test_live(api: ApiServer, folder: Path) -> None:
    """What no file gives comes from the cluster: the composite's uid and status, what it composes, other resources."""
    put(folder, config="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: team}\ndata: {from: file}\n")
    flags = ["--function", f"{HERE}:bucket", "--kube-context", "dev"]
    found = read(folder / "xr.yaml", *flags, "-e", folder / "config.yaml")
    composite = found.composite.content
    assert composite["metadata"] == {"name": "photos", "uid": "live", "labels": {"team": "shop"}}
    assert (composite["spec"], composite["status"]) == ({"size": 3}, {"seen": True})
    assert [one.content["metadata"]["name"] for one in found.observed] == ["b"]
    (config,) = found.cluster.resources(Selector("v1", "ConfigMap", name="c", namespace="team"))
    assert config["data"] == {"from": "file"}
    (other,) = found.cluster.resources(Selector("v1", "ConfigMap", name="d", namespace="team"))
    assert "data" not in other


@pytest.mark.slow
@needs_kubectl
def test_files_over_the_cluster(api: ApiServer, folder: Path) -> None:
    """What a file gives isn't taken from the cluster: the uid, the status, and observed resources as a whole."""
    text = XR.replace("name: photos", "name: photos\n  uid: mine")
    thing = "apiVersion: v1\nkind: Thing\nmetadata: {annotations: {crossplane.io/composition-resource-name: a}}\n"
    put(folder, xr=f"{text}status: {{mine: true}}\n", observed=thing)
    flags = ["--function", f"{HERE}:bucket", "--kube-context", "dev"]
    found = read(folder / "xr.yaml", *flags, "-o", folder / "observed.yaml")
    assert found.composite.content["metadata"]["uid"] == "mine"
    assert found.composite.content["status"] == {"mine": True}
    assert [one.content["kind"] for one in found.observed] == ["Thing"]


@pytest.mark.slow
@needs_kubectl
def test_composite_that_is_not_live(api: ApiServer, folder: Path) -> None:
    """A composite that the cluster doesn't have is as the file says, with nothing observed."""
    api.objects.clear()
    found = read(folder / "xr.yaml", "--function", f"{HERE}:bucket", "--kube-context", "dev")
    assert found.composite.content["metadata"] == {"name": "photos", "labels": {"team": "shop"}}
    assert "status" not in found.composite.content
    assert found.observed == []
    with pytest.raises(InputError, match="kubectl can't read"):
        read(folder / "xr.yaml", "--function", f"{HERE}:bucket", "--kube-context", "nowhere")
