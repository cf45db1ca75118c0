"""Simulates one reconcile after the other, until nothing changes any more.

After each reconcile (a round), the composed resources exist: they have names, and a status that
`statuses` makes up.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..._core.base.terminal import StatusLine
from ..._core.base.texts import near_name, short_repr, short_text, some
from ..._core.call.mark import without_digests
from ..._core.models.walker import canonical
from ..._core.paths import field_path, trees
from ..._core.paths.text import EXTERNAL_NAME, show
from ...errors import InputError, UsageError
from ..manifests.objects import RESOURCE_NAME, resource_name, secret_place, text_of
from ..manifests.yaml import Document
from ..render.cluster import World
from ..render.composed import by_name
from ..render.pipeline import Selector
from ..render.rendered import RenderError, cut_off
from ..render.told import without_method
from .awaited_fields import MADE_UP, secret_at
from .effects import changes_of
from .fixtures import Fixtures, read_fixtures
from .merging import at, copied, differences, steps_of
from .statuses import Exists, Statuses
from .waits import Waits, cycles_in, owner_of, unresolved_in, waits_of

if TYPE_CHECKING:
    from ...composition import Dependency
    from ..render.arguments import Inputs
    from ..render.rendered import Rendered

_QUIET_SECONDS: Final = 2.0  # after these, a terminal shows the number of the round

# No resource exists in an API server without the first three, and Crossplane finds its resources by
# the last.
_KNOWN_BY: Final = (
    ["apiVersion"],
    ["kind"],
    ["metadata", "name"],
    ["metadata", "annotations", RESOURCE_NAME],
)


class Round(NamedTuple):
    """One reconcile of a simulation.

    Attributes:
        number: The number of the round, from 1.
        rendered: The result of the reconcile.
        appeared: The names of the composed resources that are desired for the first time, sorted.
            In a reconcile after a loss, they are the resources that are created again.
        waiting: The resources that wait for values, by name, with the paths of these values. The
            list of paths is empty if the resource's function doesn't report them.
        remarks: The remarks of the functions' reports, such as which values are missing and count
            as they last were.
    """

    number: int
    rendered: Rendered
    appeared: list[str]
    waiting: dict[str, list[str]]
    remarks: Sequence[str] = ()


class Simulation:
    """A series of reconciles of a composite resource, until nothing changes any more.

    The arguments aren't changed. Functions that run in this process run a few more times in each
    round, to find their dependencies. So compose() must have no effects outside of its context.

    Args:
        inputs: The composite, the pipeline with its functions, and what exists at the start.
            Functions that require resources also find the simulated composed resources.
        fixtures: Facts about resources as they are once they exist, by composition resource name,
            `apiVersion/kind` or kind, or the file or directory that has them. Each has any of
            `status`, `metadata`, `connectionDetails` and other parts of the resource. A field that
            is null never gets a value.
        most_rounds: The number of rounds after which the simulation gives up; 2 or more.

    Attributes:
        rounds: The rounds so far.
        waves: The number of the round in which each composed resource was first desired, by the
            resource's name, in the order of the rounds.
        stable: Whether the last two rounds had the same result.
        problem: Why the simulation isn't stable; None if it is stable or hasn't run.
        unresolved: The resources and the fields of the composite (`xr.status.x`) that still wait at
            the end, by name. Each has the paths of the missing values, with the reasons.
        cycles: Groups of resources and fields of the composite that wait for each other.
        waited: The paths of the values that each resource waited for before it appeared, by the
            resource's name.
        origins: The source of each value that others wait for, by the value's path: `given` (part
            of the resource anyway), `fixture`, `spec` (copied from `spec.forProvider`), `schema`
            (made up by the schema) or `assumed` (a guess).
        dependencies: The dependencies of the functions that run in this process.
        changed: The fields that a resource got at its creation and has with another value at the
            end, by the resource's name: texts as in `Effects.changed`.
        came: The paths of the values that compose() asked for and that were there for the first
            time in a round in which a resource of `changed` changed, by the resource's name. Only
            functions in this process say them.

    Raises:
        InputError: A fixture can't be read or used, an observed resource has no composition
            resource name, or two have the same name.
        UsageError: `most_rounds` is less than 2.
        MissingExtraError: The fixtures are in a file, and PyYAML isn't installed.
    """

    def __init__(
        self,
        inputs: Inputs,
        fixtures: Path | Mapping[str, Mapping[str, Any]] | None = None,
        most_rounds: int = 50,
    ) -> None:
        if most_rounds < 2:
            raise UsageError(
                "'most_rounds' must be at least 2, because two rounds must have the same result"
                f" (got {most_rounds!r})"
            )
        self._inputs = inputs
        self._most_rounds = most_rounds
        self._composite: Mapping[str, Any] = inputs.composite.content
        self._observed: dict[str, Mapping[str, Any]] = by_name(
            document.content for document in inputs.observed
        )
        self._before = dict(self._observed)
        self._secrets: dict[str, Mapping[str, Any]] = {}
        given = read_fixtures(fixtures) if isinstance(fixtures, Path) else fixtures or {}
        self._statuses = Statuses(Fixtures(given), World(inputs.cluster, inputs.schemas).schema)
        # For each resource, the fields that others need: the rest of their paths after the
        # resource's name.
        self._wanted: dict[str, set[str]] = {}
        self._never: dict[str, str] = {}
        self._waits: Waits | None = None
        self.rounds: list[Round] = []
        self.waves: dict[str, int] = {}
        self.stable = False
        self.problem: str | None = None
        self.waited: dict[str, list[str]] = {}
        self.origins: dict[str, str] = {}
        self.dependencies: list[Dependency] = []
        self.changed: dict[str, list[str]] = {}
        self.came: dict[str, list[str]] = {}
        self._missing: set[str] = set()
        self._made: dict[str, dict[str, Any]] = {}

    @property
    def composite(self) -> Mapping[str, Any]:
        """The composite resource after the last round; before the first round, the given one."""
        return self._composite

    @property
    def observed(self) -> Mapping[str, Mapping[str, Any]]:
        """The composed resources that exist after the last round, by composition resource name."""
        return self._observed

    @property
    def secrets(self) -> Mapping[str, Mapping[str, Any]]:
        """The connection Secrets after the last round, by composition resource name. The
        composite's key is `""`.
        """
        return self._secrets

    @property
    def unresolved(self) -> dict[str, list[str]]:
        return (
            {}
            if self._waits is None
            else unresolved_in(self._waits, self._never, self._observed, self._composite)
        )

    @property
    def cycles(self) -> list[list[str]]:
        return [] if self._waits is None else cycles_in(self._waits, self._composite)

    @property
    def kinds(self) -> Mapping[str, tuple[str, str]]:
        """The apiVersion and kind of each resource that the last round's functions registered, by
        name.
        """
        return {} if self._waits is None else self._waits.kinds

    @property
    def possible(self) -> list[str]:
        """The resources that never appeared, but would if a value that a function tests were
        different.
        """
        return (
            []
            if self._waits is None
            else sorted(self._waits.possible - {*self.waves, *self._waits.waiting})
        )

    @property
    def cut_off(self) -> list[str]:
        """A line for each function whose compose() ends early in the last round, so that it isn't
        all known.
        """
        return cut_off(self.rounds[-1].rendered) if self.rounds else []

    def made_up(self, error: RenderError) -> list[str]:
        """Return a line for each made-up value that an error's text, or the expression that raised
        it, contains.
        """
        found = []
        seen = error.steps[-1].seen if error.steps else None
        used = [] if seen is None else [one for one in seen.used if isinstance(one, (str, int))]
        for path, origin in self.origins.items():
            owner = owner_of(path, self._observed) if origin in MADE_UP else None
            if owner is None or not owner[1].startswith(".status."):
                continue
            value = at(self._observed[owner[0]], without_method(None, steps_of(owner[1])))
            if not isinstance(value, (str, int)) or value in ("", True, False):
                continue
            if value in used or str(value) in str(error):
                found.append(
                    f"{path} is made up ({short_repr(value)}): give it a real value with --fixtures"
                )
        return found

    @property
    def unused_fixtures(self) -> list[str]:
        """The sorted keys of the fixtures that haven't been used for any resource."""
        return self._statuses.fixtures.unused()

    def notes_on_fixtures(self) -> list[str]:
        """Return a line for the user for each fixture without a resource, and each field that
        doesn't fit a schema.
        """
        names = dict.fromkeys(self.waves)
        for one in self.observed.values():
            kind = text_of(one.get("kind"))
            names |= {kind: None, f"{text_of(one.get('apiVersion'))}/{kind}": None}
        unused = [
            f"fixture {short_repr(key)}: no composed resource has this name or"
            f" kind{near_name(key, names)}"
            for key in self.unused_fixtures
        ]
        fields = (self._statuses.unfit_fields(name, one) for name, one in self.observed.items())
        return [*unused, *chain.from_iterable(fields)]

    def run(self) -> list[Round]:
        """Reconcile until two rounds in a row have the same result.

        The run also ends when the result of an earlier round comes back, and after `most_rounds`
        rounds. `stable` and `problem` say how it ended. After the end, also after a RenderError,
        another call only returns the rounds.

        Returns:
            All rounds.

        Raises:
            FatalResultError: A function returned a fatal result, such as for a dependency cycle
                within the function.
            RenderError: A reconcile fails for another reason.
            InputError: An argument of the simulation can't be used.
            UsageError: A function is neither a runner nor a composition function.
        """
        seen: dict[str, int] = {}
        late = time.monotonic() + _QUIET_SECONDS
        with StatusLine() as status:
            while not self.stable and self.problem is None:
                number = len(self.rounds) + 1
                if time.monotonic() > late:
                    status.show(f"round {number} of at most {self._most_rounds}")
                try:
                    rendered = self._render(self._observed, self._world())
                except RenderError as error:
                    self.problem = f"round {number}: {error}"
                    raise
                self._take(number, rendered)
                state = self._state(rendered)
                self.stable = seen.get(state) == number - 1
                if not self.stable and state in seen:
                    self.problem = _oscillation(self.rounds, seen[state])
                elif not self.stable and number >= self._most_rounds:
                    self.problem = _slowness(self.rounds)
                seen[state] = number
        return self.rounds

    def drop(self, name: str) -> Round:
        """Remove a resource from the steady state, and reconcile once. The simulation itself isn't
        changed.

        Args:
            name: The resource's composition resource name.

        Returns:
            The reconcile. Its `rendered.deleted` has the resources that Crossplane would delete.

        Raises:
            InputError: The resource doesn't exist.
            UsageError: The simulation isn't stable.
            FatalResultError, RenderError: The reconcile fails, as in `run`.
        """
        self._check_steady(name)
        gone = self._observed[name]
        secret = self._secrets.get(name)
        secrets = {key: value for key, value in self._secrets.items() if key != name}
        observed = {key: value for key, value in self._observed.items() if key != name}
        return self._try(observed, secrets, [gone] if secret is None else [gone, secret])

    def degrade(self, name: str, path: str) -> Round:
        """Remove a field of a resource from the steady state, and reconcile once. The simulation
        itself isn't changed.

        Args:
            name: The resource's composition resource name.
            path: The field's path, such as `status.atProvider.vpcId`,
                `status.atProvider.subnets[-1]` for the last subnet, `external_name`, or
                `connection_details["password"]`.

        Returns:
            The reconcile. Its `rendered.deleted` has the resources that Crossplane would delete.

        Raises:
            InputError: The resource or the field doesn't exist; or Crossplane identifies the
                resource by the field, such as `metadata.name`.
            UsageError: The simulation isn't stable, or `path` isn't a field path or selects several
                elements.
            FatalResultError, RenderError: The reconcile fails, as in `run`.
        """
        self._check_steady(name)
        resource, secret = self._observed[name], self._secrets.get(name)
        steps = field_path.parse(path)
        if steps == ("external_name",):
            steps = ("metadata", "annotations", EXTERNAL_NAME)
        in_secret = steps[0] == "connection_details"
        holder = (secret or {}) if in_secret else resource
        way = trees.resolved(holder, ("data", *steps[1:]) if in_secret else steps)
        if way is None:
            raise InputError(
                f"{short_text(name)} has no field {short_text(show(steps))} in the steady state, so"
                " there is nothing to remove"
            )
        changed = copied(holder)
        del at(changed, way[:-1])[way[-1]]
        if in_secret:
            return self._try(self._observed, {**self._secrets, name: changed})
        for known_by in _KNOWN_BY:
            if at(holder, known_by) != at(changed, known_by):
                raise InputError(
                    f"{short_text(f'{name}.{path}')} can't be removed, because a resource is known"
                    f" by its {show(known_by)}; remove another field, or the whole resource"
                )
        return self._try({**self._observed, name: changed}, self._secrets)

    def split(self, path: str) -> tuple[str, str]:
        """Split a path into the name of an existing resource and the path of a field in the
        resource.

        Args:
            path: A resource's name and the path of a field, such as `vpc.status.atProvider.vpcId`.

        Returns:
            Both parts, such as `vpc` and `status.atProvider.vpcId`.

        Raises:
            InputError: The path doesn't begin with the name of an existing resource, or is only the
                name.
        """
        found = owner_of(path, self._observed)
        if found is None:
            raise InputError(
                f"{short_repr(path)} doesn't begin with the name of an existing resource (these"
                " exist:"
                f" {_listed(self._observed)}){near_name(re.split('[.[]', path)[0], self._observed)}"
            )
        if not found[1]:
            raise InputError(
                f"{short_repr(path)} is a resource; add the path of a field, as in"
                f" {short_text(path)}.status"
            )
        return found[0], found[1].removeprefix(".")

    # -- one round

    def _render(self, observed: Mapping[str, Mapping[str, Any]], world: World) -> Rendered:
        there = [Document(name, dict(one)) for name, one in observed.items()]
        composite = Document("the composite", dict(self._composite))
        return self._inputs._replace(composite=composite, observed=there, cluster=world).render()

    def _world(self, **more: Any) -> World:
        given = {"objects": [*self._observed.values(), *self._secrets.values()], **more}
        return World(self._inputs.cluster, self._inputs.schemas, **given)

    def _take(self, number: int, rendered: Rendered) -> None:
        """Add the result of a reconcile to the simulation.

        The resources that it composed exist from now on, and those that it deleted don't.
        """
        waits = self._waits = waits_of(rendered)
        self.dependencies = sorted({*self.dependencies, *waits.dependencies})
        for name in rendered.deleted:
            for kept in (self._observed, self._before, self._secrets, self._made):
                kept.pop(name, None)
        made = {name: one for name, one in rendered.composed.items() if name not in self._observed}
        self._made = {**made, **self._made}
        lasting = {
            name: rendered.composed[name] for name in self._made if name in rendered.composed
        }
        self._note_changed(changes_of(self._made, lasting, added=False), rendered)
        self._note_wanted(waits, rendered)
        for name, composed in rendered.composed.items():
            self._exist(name, composed)
        self._composite = rendered.composite
        # Only composites of Crossplane 1 publish connection details.
        place, details = secret_place(rendered.composite), rendered.connection_details
        if rendered.legacy and place is not None and details:
            self._secrets[""] = secret_at(place, details)
        # What a function only keeps as it is hasn't appeared.
        appeared = sorted(
            set(rendered.composed) - set(self.waves) - {one.name for one in waits.notes}
        )
        self.waves.update(dict.fromkeys(appeared, number))
        self._note_waited(waits)
        waiting = {name: sorted(paths) for name, paths in sorted(waits.waiting.items())}
        self.rounds.append(Round(number, rendered, appeared, waiting, waits.remarks))

    def _note_changed(self, changed: dict[str, list[str]], rendered: Rendered) -> None:
        missing = {
            path for run in rendered.steps if run.seen is not None for path in run.seen.missing
        }
        for name in changed:
            if changed[name] != self.changed.get(name):
                self.came[name] = sorted({*self.came.get(name, ()), *(self._missing - missing)})
        self.came = {name: paths for name, paths in self.came.items() if name in changed}
        self.changed, self._missing = changed, missing

    def _note_waited(self, waits: Waits) -> None:
        for name, paths in waits.waiting.items():
            if name not in self.waves:
                self.waited[name] = sorted({*self.waited.get(name, ()), *paths})

    def _exist(self, name: str, composed: Mapping[str, Any]) -> None:
        before = self._before.get(name, {})
        wanted = self._wanted.get(name, ())
        made: Exists = self._statuses.exists(
            name, composed, before, wanted, self._data_of(composed)
        )
        self._observed[name] = made.resource
        if made.secret is not None:
            self._secrets[name] = made.secret
        for path in wanted:
            self._never.pop(name + path, None)
        self.origins.update({name + path: origin for path, origin in made.origins.items()})
        self._never.update({name + path: reason for path, reason in made.never.items()})

    def _data_of(self, composed: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the data of a resource's connection Secret in the cluster of the inputs; empty if
        there is none.
        """
        place = secret_place(composed)
        if place is None:
            return {}
        found = self._inputs.cluster.resources(
            Selector("v1", "Secret", name=place[1], namespace=place[0] or None)
        )
        data = at(found[0], ["data"]) if found else {}
        return data if isinstance(data, Mapping) else {}

    def _note_wanted(self, waits: Waits, rendered: Rendered) -> None:
        """Record the fields of composed resources that other resources need, and those that end
        compose() early.
        """
        there = {**self._observed, **rendered.composed}
        names = {*there, *waits.waiting, *(one.dependency for one in waits.dependencies)}
        world = self._world(objects=there.values())
        ended = [
            run.seen.missing for run in rendered.steps if run.seen is not None and run.seen.error
        ]
        for path in (*waits.paths(), *(path for paths in ended for path in paths)):
            found = self._required(path, waits, world) or owner_of(path, names)
            if found is not None:
                self._wanted.setdefault(found[0], set()).add(found[1])

    def _required(self, path: str, waits: Waits, world: World) -> tuple[str, str] | None:
        """Find the composed resource that a path such as `required.vpcs[0].status.id` leads to.

        Returns:
            The resource's name and the rest of the path, such as `.status.id`. None if the path
            isn't in a required resource, or if this required resource isn't a composed resource of
            the simulation.
        """
        found = owner_of(path, {f"required.{key}" for key in waits.selectors})
        if found is None:
            return None
        steps = steps_of(found[1])
        answers = world.resources(waits.selectors[found[0].removeprefix("required.")])
        if (
            not steps
            or not isinstance(steps[0], int)
            or not -len(answers) <= steps[0] < len(answers)
        ):
            return None
        name = resource_name(answers[steps[0]])
        return (name, "." + show(steps[1:])) if name and len(steps) > 1 else None

    # -- the end

    def _state(self, rendered: Rendered) -> str:
        """Return a digest of the state after a round. Rounds with the same result have the same
        digest.
        """
        state = [rendered.composed, dict(self._composite), self._observed, self._secrets]
        return hashlib.sha256(canonical(state).encode(errors="surrogatepass")).hexdigest()

    # -- after a loss

    def _check_steady(self, name: str) -> None:
        if not self.stable:
            why = self.problem or "call run() first"
            raise UsageError(
                f"drop() and degrade() need a simulation that has become stable: {why}"
            )
        if name not in self._observed:
            raise InputError(
                f"there is no resource {short_repr(name)} in the steady state (it has:"
                f" {_listed(self._observed)}){near_name(name, self._observed)}"
            )

    def _try(
        self,
        observed: Mapping[str, Mapping[str, Any]],
        secrets: Mapping[str, Mapping[str, Any]],
        gone: Iterable[Mapping[str, Any]] = (),
    ) -> Round:
        world = self._world(objects=[*observed.values(), *secrets.values()], gone=gone)
        rendered = self._render(observed, world)
        waits = waits_of(rendered)
        return Round(
            len(self.rounds) + 1,
            rendered,
            sorted(set(rendered.composed) - set(observed)),
            {name: sorted(paths) for name, paths in sorted(waits.waiting.items())},
            waits.remarks,
        )


def _oscillation(rounds: Sequence[Round], first: int) -> str:
    """Return a text for a simulation that repeats itself. It says which two rounds are equal, and
    which fields change.

    Args:
        rounds: All rounds. The last round has the same result as an earlier round.
        first: The number of that earlier round, counted from 1.
    """
    changing = {path for at in range(first, len(rounds)) for path in _changed(rounds, at)}
    return (
        f"the simulation never becomes stable: round {len(rounds)} has the same result as round"
        f" {first}, but the rounds between them have others, so the rounds repeat; these change:"
        f" {_listed(changing)}"
    )


def _slowness(rounds: Sequence[Round]) -> str:
    """Return a text for a simulation that took too many rounds. It names the fields that the last
    round changed.
    """
    return (
        f"the simulation isn't stable after {len(rounds)} rounds, and no two rounds had the same"
        f" result; these still change: {_listed(_changed(rounds, len(rounds) - 1))}; a time or a"
        " random value is another one in each round, which never ends (ctx.once makes it once);"
        " else allow more rounds (--max-rounds, or most_rounds)"
    )


def _listed(names: Iterable[str]) -> str:
    """Return the first five of the sorted names, separated by commas, and `and N more` for the
    others.

    For no names, return `none`.
    """
    return some(sorted(names), 5) or "none"


def _changed(rounds: Sequence[Round], index: int) -> list[str]:
    """Return the paths of the fields that differ between the round at `index` (1 or more) and the
    round before it.

    A resource that only one of the rounds composes is named as a whole, such as `vpc (added)`. Of
    the composite, only the status is compared.
    """
    before, after = (rounds[one].rendered for one in (index - 1, index))
    changed = []
    for name in sorted({*before.composed, *after.composed}):
        if name not in after.composed:
            changed.append(f"{name} (removed)")
        elif name not in before.composed:
            changed.append(f"{name} (added)")
        else:
            old, new = before.composed[name], after.composed[name]
            # What a mark remembers changes with the content. It is noise, unless nothing else
            # changes.
            found = [*differences(without_digests(old), without_digests(new))] or differences(
                old, new
            )
            changed += [f"{name}.{path}" for path, _, _ in found]
    found = differences(before.composite.get("status"), after.composite.get("status"))
    return changed + [f"xr.status.{path}" for path, _, _ in found]
