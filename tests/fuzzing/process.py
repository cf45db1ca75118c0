"""The process in which one target is fuzzed: `python -m tests.fuzzing.process TARGET [arguments of libFuzzer]`."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Fuzz a target until libFuzzer ends the process."""
    import atheris

    with atheris.instrument_imports(include=["crossplane_lite", "tests.fuzzing.targets"]):
        from tests.fuzzing.targets import TARGETS, WRONG

        name = sys.argv.pop(1)
        target = WRONG if name == "wrong" else TARGETS[name]
        for data in target.seeds().values():  # what is imported only when it is needed is watched too
            target.run(data)
    atheris.Setup([*sys.argv, f"-max_len={target.longest}"], target.run)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
