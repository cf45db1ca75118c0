"""The files of a new project for a function that Operations run."""

from __future__ import annotations

from .project import Project, filled, shared_files

__all__ = ["files"]

_FUNCTION = '''"""The resources of @FUNCTION@."""

from __future__ import annotations

from crossplane_lite import Unstructured, composition


# The name marks the resources of this function: it must stay the same.
@composition.function(name="@STEP@")
def compose(ctx: composition.Context) -> None:
    """Write the message of the step's input into a ConfigMap."""
    report = ctx.resource("report", Unstructured("v1", "ConfigMap"))
    report.metadata.name = "@NAME@"
    report.metadata.namespace = "default"
    report.data.message = (ctx.input or {}).get("message", "hello")
    ctx.output["written"] = "@NAME@"


if __name__ == "__main__":
    compose.main()
'''

_OPERATION = """\
apiVersion: ops.crossplane.io/v1alpha1
kind: Operation
metadata:
  name: example
spec:
  mode: Pipeline
  pipeline:
  - step: @NAME@
    functionRef:
      name: @FUNCTION@
    input:
      apiVersion: @PACKAGE@.fn.crossplane.io/v1beta1
      kind: Input
      message: good morning
"""

_TEST = '''"""Tests of the function, without a cluster."""

from __future__ import annotations

from crossplane_lite import testing

from @PACKAGE@.function import compose


def test_the_message(crossplane_folder: testing.Folder) -> None:
    """The message in the step's input is written."""
    response = testing.run(compose, crossplane_folder.request(input={"message": "hello"}))
    assert not response.fatal
    assert response.desired["report"]["data"] == {"message": "hello"}


def test_the_answer(crossplane_folder: testing.Folder, crossplane_snapshot: testing.Snapshots) -> None:
    """The applied resources are those that were reviewed."""
    response = testing.run(compose, crossplane_folder.request())
    crossplane_snapshot.check(response, "expected/first.yaml")
'''


def files(project: Project) -> dict[str, str]:
    """Return the files of a new project: the text of each file, by its path in the project.

    Args:
        project: The project's name and the other values that the files contain.
    """
    texts = shared_files(project, "operation", "render op example/operation.yaml example/functions.yaml", "")
    texts["example/operation.yaml"] = filled(_OPERATION, project)
    texts[f"{project.package}/function.py"] = filled(_FUNCTION, project)
    texts["tests/test_function.py"] = filled(_TEST, project)
    return texts
