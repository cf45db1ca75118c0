"""`crossplane-lite diff`: releases of the network example, a cluster, secrets, folders, exit statuses."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._core.known import KNOWN
from crossplane_lite._core.known.notes import key_of
from crossplane_lite.cli import main
from crossplane_lite.runtime import log
from tests.diff.releases import RELEASES, ROOT, diff, git, release
from tests.programs.api_server import ApiServer, Kind, needs_kubectl, serving
from tests.runtime.certificates import Authority, write
from tests.runtime.serving import serving as served

HERE = "tests.diff.functions"
GOLDEN = Path(__file__).with_name("golden")
NAME = "crossplane.io/composition-resource-name"
NOTES = json.dumps({"bucket": {"m": key_of("first", ""), "n": 1}})
"""Notes of `bucket` with no value of its first resource."""
XR = """\
apiVersion: example.org/v1
kind: XBucket
metadata: {name: photos, uid: an-uid}
spec: {size: 3}
"""


@pytest.fixture(autouse=True)
def as_from_the_project(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The current directory is the project's, and logging is afterwards as it was before."""
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("NO_COLOR", raising=False)
    root = logging.getLogger()
    handlers, level, masker = root.handlers[:], root.level, log._mask
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    log.set_masker(masker)


def thing(name: str, uid: str | None = "an-uid", notes: str = NOTES, **fields: Any) -> dict[str, Any]:
    """Return an observed resource with notes, whose fields Crossplane owns, but for those called late."""
    owner = {"apiVersion": "example.org/v1", "kind": "XBucket", "name": "photos", "uid": uid, "controller": True}
    own = {f"f:{key}": {} for key in fields if not key.startswith("late")}
    late = {f"f:{key}": {} for key in fields if key.startswith("late")}
    managed = [
        {"manager": "apiextensions.crossplane.io/composed/1", "fieldsV1": {"f:spec": {"f:forProvider": own}}},
        {"manager": "provider", "fieldsV1": {"f:spec": {"f:forProvider": late}}},
    ]
    return {
        "apiVersion": "example.org/v1",
        "kind": "Thing",
        "metadata": {
            "name": f"photos-{name}",
            "annotations": {NAME: name, **({KNOWN: notes} if notes else {})},
            "managedFields": managed,
            **({"ownerReferences": [owner]} if uid else {}),
        },
        "spec": {"forProvider": fields},
    }


def put(folder: Path, observed: list[dict[str, Any]], xr: str = XR) -> list[str]:
    """Write the files of a composite, and return the arguments that name them."""
    (folder / "xr.yaml").write_text(xr, encoding="utf-8")
    arguments = [str(folder / "xr.yaml")]
    if observed:
        (folder / "observed.json").write_text(
            json.dumps({"apiVersion": "v1", "kind": "List", "items": observed}), encoding="utf-8"
        )
        arguments += ["-o", str(folder / "observed.json")]
    return arguments


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Run the command, and return its status and what it prints."""
    status = main(["diff", *arguments])
    return status, capsys.readouterr().out


def in_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Return what the command prints as JSON."""
    return json.loads(run(capsys, *arguments, "--format", "json")[1])


# -- against a cluster


def test_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Deletions come first; then what is created, changed field by field, held back and kept, and the counts."""
    files = put(tmp_path, [thing("first", size=2, old=1, late=1), thing("gone"), thing("theirs", None)])
    status, printed = run(capsys, *files, "--function", f"{HERE}:bucket")
    assert printed == (
        "XBucket photos\n"
        "- delete gone (Thing of example.org/v1 photos-gone)\n"
        "~ change first (Thing of example.org/v1 photos-first)\n"
        "    spec.forProvider.old: 1 -> (nothing)\n"
        "    spec.forProvider.size: 2 -> 3\n"
        ". held back second\n"
        "    waits for first.status.atProvider.id\n"
        "= kept theirs (Thing of example.org/v1 photos-theirs)\n"
        "    not desired, and not deleted: no owner reference says that it is the composite's\n"
        "~ the composite's status\n"
        '    status.conditions[type=Ready].status: (nothing) -> "False"\n'
        "1 to delete, 1 to change, 1 held back, 1 kept\n"
    )
    assert status == 3


def test_another_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A resource that goes while another one of its kind comes may be the same: a note says what to write."""
    files = put(tmp_path, [thing("first", size=3)])
    note = "    if second is the same resource under a new name, give it formerly=['first']\n"
    status, printed = run(capsys, *files, "--function", f"{HERE}:renamed")
    assert f"- delete first (Thing of example.org/v1 photos-first)\n{note}" in printed and status == 3
    markdown = run(capsys, *files, "--function", f"{HERE}:renamed", "--format", "markdown")[1]
    assert note.strip() in markdown.replace("\\", "")
    (first, *_) = json.loads(run(capsys, *files, "--function", f"{HERE}:renamed", "--format", "json")[1])["composites"]
    assert [one.get("note") for one in first["resources"]] == [note.strip(), None, None]
    # Nothing goes, or nothing of the kind comes: no note.
    assert "formerly" not in run(capsys, *put(tmp_path, []), "--function", f"{HERE}:renamed")[1]
    files = put(tmp_path, [thing("first", size=3), thing("gone")])
    assert "formerly" not in run(capsys, *files, "--function", f"{HERE}:bucket")[1]


def test_what_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a function doesn't register, and keeps as long as a value is missing, counts as deleted, with the reason."""
    files = put(tmp_path, [thing("first", notes="", size=3), thing("gone", notes="")])
    status, printed = run(capsys, *files, "--function", f"{HERE}:bucket")
    assert "- delete gone (Thing of example.org/v1 photos-gone)\n    not at once\n" in printed
    assert "! not at once: gone: is kept as it is: whether it is still wanted depends on first.status" in printed
    assert status == 3


def test_a_former_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With `formerly`, what exists is changed in its place."""
    files = put(tmp_path, [thing("first", size=2)])
    status, printed = run(capsys, *files, "--function", f"{HERE}:moved")
    assert "~ change first (Thing of example.org/v1 photos-first)\n    spec.forProvider.size: 2 -> 3\n" in printed
    assert "second" not in printed and status == 0


def test_created(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A new resource is shown with its fields."""
    status, printed = run(capsys, *put(tmp_path, []), "--function", f"{HERE}:bucket")
    assert "+ create first (Thing of example.org/v1 photos-" in printed
    assert "    spec.forProvider.size: 3\n" in printed
    assert status == 0


def test_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --exit-code a change is status 1; without it 0. A deletion is 3 and a failure 4 in both cases."""
    ready = XR + 'status: {conditions: [{type: Ready, status: "False", reason: Creating}]}\n'
    function = ["--function", f"{HERE}:bucket"]
    for observed, code in ((3, 0), (2, 1)):
        files = put(tmp_path, [thing("first", size=observed)], ready)
        assert run(capsys, *files, *function)[0] == 0
        assert run(capsys, *files, *function, "--exit-code")[0] == code
    files = put(tmp_path, [thing("first", size=3), thing("gone")], ready)
    assert run(capsys, *files, *function)[0] == 3
    failing = put(tmp_path, [], XR.replace("size: 3", "size: 0"))
    status, printed = run(capsys, *failing, "--function", f"{HERE}:failing")
    assert status == 4
    assert "! the reconcile fails: " in printed
    assert "ZeroDivisionError" in printed


def test_colour(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Colours are there where they are asked for, and not in what no terminal shows."""
    files = [*put(tmp_path, [thing("gone")]), "--function", f"{HERE}:bucket"]
    assert "\x1b" not in run(capsys, *files)[1]
    assert "\x1b[31m- delete gone" in run(capsys, *files, "--color=always")[1]
    assert "\x1b" not in run(capsys, *files, "--color=never")[1]
    monkeypatch.setattr("crossplane_lite._core.base.stdio.is_terminal", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[31m" in run(capsys, *files)[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run(capsys, *files)[1]


def test_markdown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Markdown has a table of the resources, the fields as a diff, and the summary."""
    files = put(tmp_path, [thing("first", size=2), thing("gone")])
    _, printed = run(capsys, *files, "--function", f"{HERE}:bucket", "--format", "markdown")
    assert "| **delete** | gone | Thing of example.org/v1 |  |\n" in printed
    assert "| change | first | Thing of example.org/v1 | 1 fields |\n" in printed
    assert "```diff\n- first.spec.forProvider.size: 2\n+ first.spec.forProvider.size: 3\n" in printed
    assert printed.endswith("1 composite, 0 the same; 1 to delete, 1 to change, 1 held back\n")


def secret(**data: str) -> dict[str, Any]:
    """Return a Secret of the cluster, its data in base64."""
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "given", "namespace": "team"}, "data": data}


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_secrets_are_never_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    """What is in Secrets is masked: in a Secret, and wherever else a function put it; that it changes is seen."""
    made = {**thing("secret"), "apiVersion": "v1", "kind": "Secret", "stringData": {"password": "the-old-word"}}
    files = put(tmp_path, [made, thing("first", token="the-old-token", size=1)])
    (tmp_path / "given.json").write_text(json.dumps(secret(token="c2VjcmV0LXRva2Vu", old="dGhlLW9sZC10b2tlbg==")))
    arguments = ["-e", str(tmp_path / "given.json"), "--function", f"{HERE}:secrets", "--format", form]
    assert main(["diff", *files, *arguments]) == 0
    captured = capsys.readouterr()
    for text in ("the-old-word", "brand-new-word", "secret-token", "the-old-token", "c2VjcmV0", "YnJhbmQ"):
        assert text not in captured.out + captured.err
    assert "[secret]" in captured.out
    assert "[another secret]" in captured.out


def test_what_a_status_shows_is_no_secret(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A value of a Secret that stands openly in an existing resource's status, such as an endpoint, isn't masked."""
    there = {**thing("first", host="db.example.org", size=1), "status": {"endpoint": "db.example.org"}}
    files = put(tmp_path, [there])
    (tmp_path / "given.json").write_text(json.dumps(secret(host="ZGIuZXhhbXBsZS5vcmc=", token="c2VjcmV0LXRva2Vu")))
    arguments = ["-e", str(tmp_path / "given.json"), "--function", f"{HERE}:secrets"]
    _, printed = run(capsys, *files, *arguments)
    assert "db.example.org" in printed
    assert "secret-token" not in printed


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_secrets_of_a_reconcile_that_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    """A function that isn't made with this package may put a secret into its fatal result: it is masked, too."""
    files = put(tmp_path, [])
    (tmp_path / "given.json").write_text(json.dumps(secret(token="c2VjcmV0LXRva2Vu")))
    arguments = ["-e", str(tmp_path / "given.json"), "--function", f"{HERE}:Telling", "--format", form]
    assert main(["diff", *files, *arguments]) == 4
    captured = capsys.readouterr()
    assert "the token is " in captured.out
    assert "secret-token" not in captured.out + captured.err


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiServer]:
    """Serve a composite and its resources to the context `dev`."""
    kinds = [
        Kind("example.org/v1", "XBucket", "xbuckets", namespaced=False),
        Kind("example.org/v1", "Thing", "things", namespaced=False),
    ]
    api = ApiServer(kinds)
    names = ("photos-first", "photos-gone", "photos-foreign")
    refs = [{"apiVersion": "example.org/v1", "kind": "Thing", "name": name} for name in names]
    api.objects += [
        {
            **{"apiVersion": "example.org/v1", "kind": "XBucket", "metadata": {"name": "photos", "uid": "live"}},
            "spec": {"crossplane": {"resourceRefs": refs}},
        },
        thing("first", "live", size=2, late=5),
        thing("gone", "live"),
        thing("foreign", "somebody else's"),
    ]
    (tmp_path / "api").mkdir()
    with serving(tmp_path / "api", monkeypatch, api):
        yield api


@pytest.mark.slow
@needs_kubectl
def test_a_cluster(api: ApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What exists comes from the cluster, with who owns which field; resources of others don't count."""
    (tmp_path / "xr.yaml").write_text(XR.replace(", uid: an-uid", ""), encoding="utf-8")
    arguments = [str(tmp_path / "xr.yaml"), "--function", f"{HERE}:bucket", "--kube-context", "dev"]
    status, printed = run(capsys, *arguments)
    assert "- delete gone " in printed
    assert "~ change first (Thing of example.org/v1 photos-first)\n    spec.forProvider.size: 2 -> 3\n." in printed
    assert "foreign" not in printed
    assert status == 3


# -- folders


def test_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each file is a composite with its resources; one that fails doesn't keep the others from being looked at."""
    for name, size, observed in (("a", 2, [thing("first", size=5)]), ("b", 0, []), ("c", 5, [])):
        documents = [XR.replace("photos", name).replace("size: 3", f"size: {size}"), *map(json.dumps, observed)]
        (tmp_path / f"{name}.yaml").write_text("---\n".join(f"{one}\n" for one in documents), encoding="utf-8")
    status, printed = run(capsys, str(tmp_path), "--function", f"{HERE}:failing")
    lines = printed.splitlines()
    assert lines[0] == "XBucket a"
    assert lines.index("XBucket b") < lines.index("XBucket c")
    assert lines[-1] == "3 composites, 0 the same, 1 failed; 1 to create, 1 kept"
    assert status == 4
    documents = [XR.replace("photos", "theirs"), json.dumps(thing("first", "somebody else's"))]
    (tmp_path / "theirs.yaml").write_text("---\n".join(f"{each}\n" for each in documents), encoding="utf-8")
    status, printed = run(capsys, str(tmp_path), "--function", f"{HERE}:failing")
    assert status == 4
    assert 'the reconcile fails: the observed resource "first" has a controller that isn\'t the composite' in printed
    assert printed.splitlines()[-1].startswith("4 composites, 0 the same, 2 failed; ")
    assert main(["diff", str(tmp_path), "-o", str(tmp_path / "a.yaml"), "--function", f"{HERE}:failing"]) == 2
    (tmp_path / "d.yaml").write_text(json.dumps(thing("first")), encoding="utf-8")
    assert main(["diff", str(tmp_path), "--function", f"{HERE}:failing"]) == 2
    error = capsys.readouterr().err
    assert (
        "d.yaml must hold one composite and its composed resources, and it holds 0 composites (a composite has "
        in error
    )


def test_a_file_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file with a composite and its resources is refused with its folder, which can be given; an empty one isn't."""
    file = tmp_path / "photos.yaml"
    file.write_text(f"{XR}---\n{json.dumps(thing('first', size=3))}\n", encoding="utf-8")
    assert main(["diff", str(file), "--function", f"{HERE}:failing"]) == 2
    assert capsys.readouterr().err.endswith(
        f"{file} must hold one composite resource (it holds 2 documents); if it has a composite and its composed "
        f"resources, give its folder, {tmp_path}\n"
    )
    assert main(["diff", str(tmp_path), "--function", f"{HERE}:failing"]) == 0
    file.write_text("", encoding="utf-8")
    assert main(["diff", str(file), "--function", f"{HERE}:failing"]) == 2
    assert capsys.readouterr().err.endswith("(it holds 0 documents)\n")


def test_a_folder_on_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal a line has the number and name of the current composite, and is gone at the end; files get none."""
    for name, size in (("a", 2), ("b", 0), ("c", 5)):
        (tmp_path / f"{name}.yaml").write_text(XR.replace("photos", name).replace("size: 3", f"size: {size}"))
    for is_terminal in (True, False):
        monkeypatch.setattr(sys.stderr, "isatty", lambda is_terminal=is_terminal: is_terminal)
        assert main(["diff", str(tmp_path), "--function", f"{HERE}:failing"]) == 4
        parts = capsys.readouterr().err.split("\r\x1b[K")
        # The log of the function that fails comes after the line of its composite.
        shown = [one.partition("\n")[0].partition("20")[0] for one in parts]
        assert shown == (["", "1/3 a", "", "2/3 b", "", "3/3 c", ""] if is_terminal else [""])


# -- against another version


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The releases of the network example."""
    folder = tmp_path_factory.mktemp("releases")
    release(folder)
    return folder


VPC = [f"examples/vpc/{name}.yaml" for name in ("settled", "composition", "functions")]


def compared(repository: Path, name: str, *arguments: str) -> tuple[int, str]:
    """Return what a release changes over the one before it."""
    before = ["first", *RELEASES][list(RELEASES).index(name)]
    git(repository, "checkout", "--quiet", name)
    done = diff(repository, *VPC, "-o", "examples/vpc/observed/all.yaml", "--against", before, *arguments)
    assert done.returncode in (0, 1, 3, 4), done.stderr
    return done.returncode, done.stdout


STATUSES = {"rename": 3, "zone-removed": 3, "field-added": 0, "field-moved": 0, "raises": 4}


def check(request: pytest.FixtureRequest, printed: str, path: Path) -> None:
    """Compare with a golden file, which --crossplane-update-snapshots writes."""
    if request.config.getoption("--crossplane-update-snapshots"):
        path.write_text(printed, encoding="utf-8")
    assert printed == path.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", RELEASES)
def test_releases(repository: Path, name: str, request: pytest.FixtureRequest) -> None:
    """Each of five releases shows just what it changes over the one before; deletions and failures set the status."""
    status, printed = compared(repository, name)
    check(request, printed, GOLDEN / f"{name}.txt")
    assert status == STATUSES[name]
    worktrees = git(repository, "worktree", "list").splitlines()
    assert len(worktrees) == 1, "the worktree is still there"


@pytest.mark.slow
@pytest.mark.parametrize("name", RELEASES)
def test_releases_in_json(repository: Path, name: str, request: pytest.FixtureRequest) -> None:
    """The same as JSON."""
    status, printed = compared(repository, name, "--format", "json")
    check(request, printed, GOLDEN / f"{name}.json")
    assert json.loads(printed)["summary"]["composites"] == 1
    assert status == STATUSES[name]


@pytest.mark.slow
def test_against_an_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A server that runs already is another version of the one function."""
    files = put(tmp_path, [thing("first", size=3)], XR.replace("size: 3", "size: 5"))
    with served(f"{HERE}:failing", "--insecure") as server:
        found = in_json(capsys, *files, "--function", f"{HERE}:bucket", "--against", server.address)
    entries = {one["name"]: one for one in found["composites"][0]["resources"]}
    assert entries["first"]["changes"] == [{"path": "spec.forProvider.size", "old": 2, "new": 5}]
    assert entries["second"]["action"] == "heldBack"


@pytest.mark.slow
def test_against_an_address_with_mutual_tls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The server may be one with mutual TLS."""
    files, authority = put(tmp_path, [thing("first", size=3)], XR.replace("size: 3", "size: 5")), Authority()
    there, here = (write(tmp_path / name, authority.issue(name), authority) for name in ("there", "here"))
    with served(f"{HERE}:failing", "--tls-certs-dir", str(there)) as server:
        tls = ["--against", server.address, "--tls-certs-dir", str(here)]
        found = in_json(capsys, *files, "--function", f"{HERE}:bucket", *tls)
    entries = {one["name"]: one for one in found["composites"][0]["resources"]}
    assert entries["first"]["changes"] == [{"path": "spec.forProvider.size", "old": 2, "new": 5}]


def test_against_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same module and function in another folder is another version; what it had and this one lacks is deleted."""
    other = tmp_path / "other" / "tests" / "diff"
    other.mkdir(parents=True)
    text = (ROOT / "tests" / "diff" / "functions.py").read_text(encoding="utf-8")
    before = 'ctx.resource("first", thing(size='
    text = text.replace(before, 'ctx.resource("older", thing())\n    ctx.resource("first", thing(more=')
    for folder in (other.parent, other):
        (folder / "__init__.py").write_text("", encoding="utf-8")
    (other / "functions.py").write_text(text, encoding="utf-8")
    files = put(tmp_path, [])
    status, printed = run(capsys, *files, "--function", f"{HERE}:failing", "--against", str(tmp_path / "other"))
    assert "- delete older (Thing of example.org/v1 photos-" in printed
    assert "    it doesn't exist yet\n" in printed
    assert "    spec.forProvider.more: 3 -> (nothing)\n    spec.forProvider.size: (nothing) -> 3\n" in printed
    assert status == 3


@pytest.mark.slow
def test_against_an_environment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A virtual environment has the version of the function that is installed there."""
    import venv

    home = tmp_path / "env"
    venv.create(home, system_site_packages=False, with_pip=False)
    (site,) = home.glob("lib/python*/site-packages")
    paths = [str(ROOT), *(path for path in sys.path if path.endswith("site-packages"))]
    (site / "all.pth").write_text("\n".join(paths), encoding="utf-8")
    files = put(tmp_path, [])
    status, printed = run(capsys, *files, "--function", f"{HERE}:failing", "--against", str(home))
    assert "= kept: first\n" in printed
    assert status == 0


@pytest.mark.slow
def test_another_version_that_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where only the other version fails, all is new, and that is said; what goes is deleted all the same."""
    files = put(tmp_path, [thing("gone")], XR.replace("size: 3", "size: 0"))
    with served(f"{HERE}:failing", "--insecure") as server:
        status, printed = run(capsys, *files, "--function", f"{HERE}:bucket", "--against", server.address)
    assert "! the other version fails, so all resources count as new: " in printed
    assert "- delete gone" in printed
    assert status == 3


def test_another_version_that_does_not_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A server that isn't there is an error: otherwise all would look new."""
    address = f"unix:{tmp_path}/nobody"
    assert main(["diff", *put(tmp_path, []), "--function", f"{HERE}:bucket", "--against", address]) == 2
    said = capsys.readouterr().err
    assert "the other version can't be called: " in said
    assert f"no server answers at {address}" in said


@pytest.mark.parametrize(
    ("version", "text"),
    [
        (
            "no-such-revision",
            "--against no-such-revision: not a folder, not an environment, and git can't use it as a revision: ",
        ),
        (
            "setup.cfg",
            "--against setup.cfg is a file: give a folder, a virtual environment, a git revision or a server's address",
        ),
        ("stubs", "--against stubs: this version has neither tests/diff/functions.py nor src/tests/diff/functions.py"),
        ("broken", "can't be served: ModuleNotFoundError: No module named 'nothing_like_it'"),
        ("unnamed", "does this version have an __init__.py in each folder?"),
    ],
)
def test_no_such_version(tmp_path: Path, capsys: pytest.CaptureFixture[str], version: str, text: str) -> None:
    """What is no version, or has no such function, is told in one line."""
    if version in ("broken", "unnamed"):
        folder = tmp_path / version / "tests" / "diff"
        folder.mkdir(parents=True)
        (folder / "functions.py").write_text("import nothing_like_it\n", encoding="utf-8")
        for package in (folder, folder.parent) if version == "broken" else ():
            (package / "__init__.py").write_text("", encoding="utf-8")
        version = str(tmp_path / version)
    arguments = [*put(tmp_path, []), "--function", f"{HERE}:bucket", "--against", version]
    assert main(["diff", *arguments]) == 2
    assert text in capsys.readouterr().err
