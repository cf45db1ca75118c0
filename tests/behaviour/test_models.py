"""Models as their users see them: classes, and what is set and unset (design section 3)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from crossplane_lite import NULL, UNSET, Observable, composition
from crossplane_lite.errors import CrossplaneLiteError, UnknownFieldError, UsageError
from crossplane_lite.model import Model, Resource, to_dict
from tests.behaviour import models, samples
from tests.behaviour.helpers import emitted
from tests.behaviour.models import (
    AtProvider,
    Branch,
    Bucket,
    BucketSpec,
    BucketStatus,
    ForProvider,
    InitProvider,
    OddSpec,
    Rule,
    Tree,
    VersioningItem,
)
from tests.support import call, run

# --- classes -----------------------------------------------------------------------------------------------------


def test_models_are_attrs_classes() -> None:
    """A model class is a real attrs class whose fields all default to UNSET."""
    assert attrs.has(Bucket)
    assert attrs.has(ForProvider)
    names = {field.name for field in attrs.fields(Bucket)}
    assert {"apiVersion", "kind", "metadata", "spec", "status"} <= names
    assert attrs.fields(ForProvider).location.default is UNSET
    assert all(field.default is UNSET for field in attrs.fields(ForProvider))


def test_models_derive_from_the_bases() -> None:
    """Nested classes derive from Model, top-level ones from Resource, which is a Model."""
    assert issubclass(ForProvider, Model)
    assert not issubclass(ForProvider, Resource)
    assert issubclass(Bucket, Resource)
    assert issubclass(Resource, Model)


def test_constructors_are_keyword_only() -> None:
    """A positional argument is refused."""
    with pytest.raises(TypeError):
        ForProvider("US")


@pytest.mark.parametrize("name", ["spec", "metadata", "status"])
def test_a_class_has_no_values_of_fields(name: str) -> None:
    """Only a model has values; its class says as usual that there is no such attribute."""
    with pytest.raises(AttributeError, match=f"^type object 'Bucket' has no attribute '{name}'$"):
        getattr(Bucket, name)


def test_evolve_gives_a_changed_copy() -> None:
    """`attrs.evolve` gives an instance with the change, and leaves the original as it was."""
    one = ForProvider(location="US", project="p")
    two = attrs.evolve(one, location="EU")
    assert type(two) is ForProvider
    assert (two.location, two.project) == ("EU", "p")
    assert one.location == "US"
    assert to_dict(two) == {"location": "EU", "project": "p"}


def test_evolve_of_renamed_fields() -> None:
    """`attrs.evolve` works for classes with renamed fields as well."""
    assert to_dict(attrs.evolve(OddSpec(from_="a", name="n"), from_="b")) == to_dict(OddSpec(from_="b", name="n"))


def test_cattrs_structures_models() -> None:
    """cattrs makes a model, nested ones among it, from plain data."""
    cattrs = pytest.importorskip("cattrs")
    provider = cattrs.Converter().structure(
        {"location": "US", "versioning": [{"enabled": True}], "labels": {"a": "b"}}, ForProvider
    )
    assert isinstance(provider, ForProvider)
    assert isinstance(provider.versioning[0], VersioningItem)
    assert to_dict(provider) == {"location": "US", "versioning": [{"enabled": True}], "labels": {"a": "b"}}


def test_a_class_is_made_once_among_threads() -> None:
    """Threads that ask for a class at the same time all get the same one."""
    from crossplane_lite.table import load

    for _ in range(20):
        lookup, _names = load("throwaway", {"One": "a:s two:Two", "Two": "b:s one:One"})
        barrier = threading.Barrier(8)
        found: list[Any] = []

        def ask(barrier: threading.Barrier = barrier, lookup: Any = lookup, found: list[Any] = found) -> None:
            barrier.wait()
            found.append(lookup("One"))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 8
        assert len(set(map(id, found))) == 1


def test_unknown_names_of_a_model_module() -> None:
    """A model module raises AttributeError for a name it doesn't have, and lists those it has."""
    with pytest.raises(AttributeError):
        _ = models.NoSuchClass
    assert "Bucket" in dir(models)


# --- set and unset -----------------------------------------------------------------------------------------------


def test_equality_looks_at_set_fields_only() -> None:
    """Models are equal when they are of one class and the same fields are set to equal values."""
    assert Bucket() == Bucket()
    assert ForProvider(location="US") == ForProvider(location="US")
    assert ForProvider(location="US") == ForProvider(location="US", project=UNSET)
    assert ForProvider(location="US") != ForProvider(location="EU")
    assert ForProvider(location="US") != ForProvider()
    assert ForProvider(project="p") != InitProvider(project="p")
    assert BucketSpec(forProvider=ForProvider(location="a")) == BucketSpec(forProvider=ForProvider(location="a"))
    assert ForProvider() != {}


def test_reading_keeps_models_equal() -> None:
    """Reading an unset nested field doesn't make a model differ from one that wasn't read."""
    bucket = Bucket()
    _ = bucket.spec.forProvider.labels
    assert bucket == Bucket()


def test_repr_shows_set_fields_only() -> None:
    """The repr has the class and the set fields, and no others."""
    text = repr(ForProvider(location="US"))
    assert "ForProvider" in text
    assert "location" in text
    assert "'US'" in text
    assert "project" not in text
    assert "UNSET" not in text


def test_to_dict_gives_what_is_set() -> None:
    """`to_dict` gives set fields, nested ones among them, as plain containers."""
    bucket = Bucket(spec=BucketSpec(forProvider=ForProvider(location="US", labels={"a": "b"}, rules=[Rule(name="n")])))
    value = to_dict(bucket)
    assert value["spec"] == {"forProvider": {"location": "US", "labels": {"a": "b"}, "rules": [{"name": "n"}]}}
    assert type(value["spec"]) is dict


@pytest.mark.parametrize("nothing", [None, UNSET])
def test_none_and_unset_are_no_opinion(nothing: Any) -> None:
    """None and UNSET emit nothing, and what previous functions desired shows through."""
    assert emitted(ForProvider(project="p", location=nothing, labels=nothing)) == {"project": "p"}
    expected = {"project": "p", "location": "US", "labels": {"a": "b"}}
    assert emitted(ForProvider(project="p", location=nothing, labels=nothing), location="US", labels={"a": "b"}) == (
        expected
    )


def test_none_by_assignment_is_no_opinion() -> None:
    """Assigning None takes back what was set, and inherited state shows through."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(location="EU", project="p"))))
        bucket.spec.forProvider.location = None
        bucket.spec.forProvider.project = UNSET

    _, answer = call(compose, desired={"bucket": samples.bucket({"location": "US"})})
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"location": "US"}


def test_none_among_map_values_and_nested_dicts_is_not_emitted() -> None:
    """None as a map's value or in a nested model is no opinion either."""
    provider = ForProvider(labels={"a": None, "b": "c"}, versioning=[VersioningItem(enabled=None)])
    assert emitted(provider) == {"labels": {"b": "c"}, "versioning": [{}]}


def test_null_emits_an_explicit_null() -> None:
    """NULL emits null, over inherited values, in maps and in lists."""
    assert emitted(ForProvider(location=NULL)) == {"location": None}
    assert emitted(ForProvider(location=NULL, labels={"a": NULL}), location="US", labels={"a": "b"}) == {
        "location": None,
        "labels": {"a": None},
    }
    assert emitted(ForProvider(extra=[1, NULL])) == {"extra": [1, None]}


def test_del_removes_an_inherited_field() -> None:
    """`del model.field` reads None afterwards and removes what previous functions set, whole nested models too."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        del bucket.spec.forProvider.location
        del bucket.spec.forProvider.labels
        del bucket.spec.initProvider
        assert bucket.spec.forProvider.location is None

    earlier = samples.bucket({"location": "US", "project": "p", "labels": {"a": "b"}})
    earlier["spec"]["initProvider"] = {"location": "EU"}
    _, answer = call(compose, desired={"bucket": earlier})
    assert answer.resources["bucket"]["spec"] == {"forProvider": {"project": "p"}}


def test_del_of_a_set_field_removes_the_inherited_one_as_well() -> None:
    """Deleting a field that was set over an inherited value doesn't bring the inherited one back."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(location="EU", project="p"))))
        del bucket.spec.forProvider.location

    _, answer = call(compose, desired={"bucket": samples.bucket({"location": "US"})})
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"project": "p"}


def test_a_deleted_field_can_be_set_again() -> None:
    """Setting a field after `del` sets it."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        del bucket.spec.forProvider.location
        bucket.spec.forProvider.location = "EU"
        assert bucket.spec.forProvider.location == "EU"

    _, answer = call(compose, desired={"bucket": samples.bucket({"location": "US"})})
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"location": "EU"}


@pytest.mark.parametrize(
    ("provider", "path"),
    [
        (lambda: ForProvider(zones=["a", None]), "zones[1]"),
        (lambda: ForProvider(versioning=[None]), "versioning[0]"),
        (lambda: ForProvider(extra={"deep": [1, [None]]}), "extra.deep[1][0]"),
        (lambda: ForProvider(matrix=[[1], [2, None]]), "matrix[1][1]"),
    ],
)
def test_none_inside_a_list_is_refused(provider: Callable[[], Any], path: str) -> None:
    """None inside a list is a fatal result that says where."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=provider())))

    answer = run(compose)
    assert len(answer.fatal) == 1
    assert path in answer.fatal[0]
    assert not answer.resources


# --- recursive models --------------------------------------------------------------------------------------------


def test_recursive_models() -> None:
    """A class that contains itself can be built, written through and read."""

    def compose(ctx: Any) -> None:
        tree = ctx.resource("tree", Tree(spec=Branch(child=Branch(value="deep", children=[Branch(value=1)]))))
        tree.spec.child.child.child.value = 3
        tree.spec.named["x"] = Branch(named={"y": Branch(value=True)})

    _, answer = call(compose)
    assert answer.resources["tree"]["spec"] == {
        "child": {"value": "deep", "children": [{"value": 1}], "child": {"child": {"value": 3}}},
        "named": {"x": {"named": {"y": {"value": True}}}},
    }


def test_repr_and_equality_of_a_recursive_model_end() -> None:
    """repr and == of a model whose class contains itself look at what is set and end there."""
    assert Branch(child=Branch(value=1)) == Branch(child=Branch(value=1))
    assert "value" in repr(Branch(child=Branch(value=1)))


def test_repr_of_great_depth() -> None:
    """Models, lists and dicts that are nested more than eight deep are shown as three dots."""

    def nested(levels: int, value: Any) -> Any:
        for _ in range(levels):
            value = Branch(child=value)
        return value

    assert repr(nested(8, Branch(value=5))).count("value=5") == 1
    assert repr(nested(9, Branch(value=5))).endswith("child=Branch(...)" + ")" * 9)
    assert "value={...}" in repr(nested(8, Branch(value={"a": 5})))
    assert "value=[...]" in repr(nested(8, Branch(value=[5])))


def test_equality_of_what_models_hold() -> None:
    """Lists of other lengths differ, and Observables are equal where their paths are."""
    assert Branch(value=[1, 2]) != Branch(value=[1])
    assert Branch(value=Observable("a.b")) == Branch(value=Observable("a.b"))
    assert Branch(value=Observable("a.b")) != Branch(value=Observable("a.c"))
    assert Branch(value=Observable("a.b")) != Branch(value="a.b")


def test_apiversion_and_kind_are_fixed() -> None:
    """A generated class has one apiVersion and kind: they can be set to the same, and neither changed nor deleted."""
    bucket: Any = Bucket(kind="Bucket")
    bucket.kind = "Bucket"
    bucket.kind = None
    assert bucket.kind == "Bucket"
    with pytest.raises(UsageError, match=r"^Bucket\.kind is always 'Bucket' \(got 'Other'\)$"):
        bucket.kind = "Other"
    with pytest.raises(UsageError, match=r"^Bucket\.apiVersion is always 'storage\.gcp\.upbound\.io/v1beta1'"):
        Bucket(apiVersion="v1")
    with pytest.raises(UsageError, match=r"^Bucket\.kind is fixed and can't be deleted$"):
        del bucket.kind
    with pytest.raises(UnknownFieldError, match="did you mean 'spec'"):
        del bucket.specs


# --- outside of a call -------------------------------------------------------------------------------------------


def test_models_work_without_a_call() -> None:
    """Models can be made, written and compared outside of a composition function."""
    bucket = Bucket(spec=BucketSpec(forProvider=ForProvider(location="US")))
    bucket.spec.forProvider.labels["a"] = "b"
    assert bucket.spec.forProvider.project is None
    assert to_dict(bucket)["spec"] == {"forProvider": {"location": "US", "labels": {"a": "b"}}}
    assert to_dict(BucketStatus(atProvider=AtProvider(id="i"))) == {"atProvider": {"id": "i"}}


def test_a_resource_of_no_call() -> None:
    """What only a call knows of a resource is refused outside of one, with the way to register it."""
    for name in ("observed", "name"):
        with pytest.raises(UsageError, match="this Bucket isn't registered yet; register it first, with ctx.resource"):
            getattr(Bucket(), name)


def test_errors_are_of_the_package_and_of_a_builtin() -> None:
    """A misspelt field can be caught as CrossplaneLiteError and as AttributeError."""
    for kind in (CrossplaneLiteError, AttributeError):
        with pytest.raises(kind):
            ForProvider().locaton = "x"
