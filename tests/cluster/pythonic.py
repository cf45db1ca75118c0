"""Compositions of `functions` with function-pythonic: `pythonic.py PORT [CERTIFICATES]` serves them.

It runs under Python 3.12 or later, in an environment that has nothing but function-pythonic.
"""

import hashlib
import sys

from crossplane.pythonic import BaseComposite
from crossplane.pythonic.main import main

EC2 = "ec2.aws.m.upbound.io/v1beta1"
_KEY = "example.com/vpc"


class _Composite(BaseComposite):
    def add(self, name, kind, /, **fields):
        one = self.resources[name](EC2, kind)
        one.spec.forProvider.region = "eu-central-1"
        for field, value in fields.items():
            one.spec.forProvider[field] = value
        return one


class Adopted(_Composite):
    """Composes all that it has the values for, and tells the next step the VPC's id."""

    def compose(self):
        vpc_id = self.add("vpc", "VPC", cidrBlock="10.0.0.0/16").status.atProvider.id
        if vpc_id:
            self.add("decided", "EIP", domain="vpc").spec.forProvider.tags.net = vpc_id
            self.add(f"hashed-{_hash(vpc_id)}", "EIP", domain="vpc")
            self.context[_KEY] = vpc_id
        self.add("subnet", "Subnet", vpcId=vpc_id, cidrBlock="10.0.0.0/20")
        blocks = self.add("blocks", "ManagedPrefixList", name="blocks", addressFamily="IPv4", maxEntries=8)
        for number, block in enumerate(self.spec.blocks):
            entry = blocks.spec.forProvider.entry[number]
            entry.cidr = block
            entry.description = "private"
        for entry in blocks.status.atProvider.entry:
            self.add(f"listed-{_hash(entry.cidr)}", "EIP", domain="vpc")
        self.status.vpcId = vpc_id


class Told(_Composite):
    """Composes zones as soon as the step before has told the id."""

    def compose(self):
        if self.context[_KEY]:
            for zone in self.spec.zones:
                self.add(f"zone-{zone}", "EIP", domain="vpc")


def _hash(value):
    return hashlib.sha256(str(value).encode()).hexdigest()[:8]


if __name__ == "__main__":
    port, *certificates = sys.argv[1:]
    security = ["--tls-certs-dir", *certificates] if certificates else ["--insecure"]
    sys.argv[1:] = ["grpc", *security, "--address", f"127.0.0.1:{port}"]
    main()
