"""The official SDK's side with what is observed read into the generated models."""

from crossplane.function import resource

from benchmarks.functions import official, official_dicts


class FunctionRunner(official_dicts.FunctionRunner):
    def url_of(self, observed):
        return official.v1beta2.Bucket(**resource.struct_to_dict(observed)).status.atProvider.url


def main():
    official.main(FunctionRunner)
