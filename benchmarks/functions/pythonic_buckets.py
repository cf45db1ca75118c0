"""function-pythonic's side of the calls, with the Buckets of the other sides; it runs under Python
3.12 or later.
"""

import logging
import sys

from crossplane.pythonic import BaseComposite


class Buckets(BaseComposite):
    def compose(self):
        self.autoReady = False
        parameters = self.spec.parameters
        read = int(parameters.read)
        describe = parameters.describe == True  # noqa: E712  # bool() says whether the field is there
        urls = []
        for index in range(int(parameters.emit)):
            bucket = self.resources[f"bucket-{index}"]("storage.gcp.upbound.io/v1beta2", "Bucket")
            bucket.metadata.labels["example.org/team"] = "platform"
            bucket.metadata.labels["example.org/stage"] = "prod"
            bucket.metadata.annotations["example.org/owner"] = "storage"
            wanted = bucket.spec.forProvider
            wanted.location = parameters.location
            wanted.labels.team = "platform"
            wanted.labels.index = str(index)
            wanted.storageClass = "STANDARD"
            wanted.forceDestroy = True
            wanted.uniformBucketLevelAccess = True
            wanted.versioning.enabled = True
            wanted.lifecycleRule[0].action.type = "Delete"
            wanted.lifecycleRule[0].condition.age = 30
            wanted.lifecycleRule[0].condition.withState = "ANY"
            bucket.spec.providerConfigRef.name = "default"
            if index < read:
                urls.append(bucket.status.atProvider.url)
            if describe:
                self.status.about = f"the last one is at {bucket.status.atProvider.url}"
        self.status.urls = urls


class Network(BaseComposite):
    """The network of examples/lost_field: what needs the id of the VPC is assigned it, as the
    documentation has it.
    """

    def compose(self):
        def add(name, kind, **fields):
            one = self.resources[name]("ec2.aws.m.upbound.io/v1beta1", kind)
            one.spec.forProvider.region = self.spec.region
            for field, value in fields.items():
                one.spec.forProvider[field] = value
            return one

        vpc_id = add("vpc", "VPC", cidrBlock="10.0.0.0/16").status.atProvider.id
        for zone in self.spec.zones:
            add(
                f"subnet-{zone}",
                "Subnet",
                vpcId=vpc_id,
                availabilityZone=f"{self.spec.region}{zone}",
            )
        add("gateway", "InternetGateway", vpcId=vpc_id)
        add("table", "RouteTable", vpcId=vpc_id)
        add("group", "SecurityGroup", vpcId=vpc_id)


def main():
    from crossplane.pythonic.main import main

    logging.disable(logging.INFO)  # the other sides have no line per call either
    sys.argv[1:] = ["grpc", "--insecure", "--address", sys.argv[1]]
    main()
