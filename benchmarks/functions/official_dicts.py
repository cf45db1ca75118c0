"""The official SDK's side with each Struct made a dict before one of its fields is read or set."""

from crossplane.function import resource

from benchmarks.functions import official


class FunctionRunner(official.FunctionRunner):
    read = staticmethod(resource.struct_to_dict)

    @staticmethod
    def lay_over(desired, source):
        resource.update(
            desired, _merged(resource.struct_to_dict(desired.resource), official._dump(source))
        )


def _merged(values, over):
    for key, value in over.items():
        if isinstance(value, dict) and key in values:
            _merged(values[key], value)
        else:
            values[key] = value
    return values


def main():
    official.main(FunctionRunner)
