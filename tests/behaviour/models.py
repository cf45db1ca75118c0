"""The models of the behaviour tests: tables of the kind that generated modules hold."""

from __future__ import annotations

from crossplane_lite.table import load

__getattr__, __dir__ = load(
    __name__,
    {
        # The seed's bucket, with one field of every type.
        "Bucket": "@storage.gcp.upbound.io/v1beta1 metadata:meta.ObjectMeta spec:BucketSpec status:BucketStatus",
        "BucketSpec": "deletionPolicy:s forProvider:ForProvider initProvider:InitProvider",
        "ForProvider": (
            "location:s project:s storageClass:s labels:{s versioning:[VersioningItem rules:[Rule#name "
            "size:i ratio:f public:b port:q extra:x zones:[s matrix:[[i byName:{Rule anything:{x"
        ),
        "InitProvider": "location:s project:s labels:{s",
        "VersioningItem": "enabled:b",
        "Rule": "name:s action:s age:i",
        "BucketStatus": "atProvider:AtProvider conditions:[meta.Condition#type",
        "AtProvider": "id:s selfLink:s url:s count:i ratio:f tags:{s endpoints:[Endpoint owner:Owner extra:x",
        "Endpoint": "url:s port:i",
        "Owner": "name:s id:s",
        "BucketACL": "@storage.gcp.upbound.io/v1beta1 metadata:meta.ObjectMeta spec:BucketACLSpec status:BucketStatus",
        "BucketACLSpec": "forProvider:ACLForProvider",
        "ACLForProvider": "bucket:s predefinedAcl:s labels:{s",
        # The seed's network.
        "VPC": "@ec2.aws.upbound.io/v1beta1 metadata:meta.ObjectMeta spec:VPCSpec status:VPCStatus",
        "VPCSpec": "forProvider:VPCForProvider",
        "VPCForProvider": "cidrBlock:s region:s project:s",
        "VPCStatus": "atProvider:VPCAtProvider conditions:[meta.Condition#type",
        "VPCAtProvider": "vpcId:s isDefault:b arn:s subnets:[SubnetAtProvider",
        "Subnet": "@ec2.aws.upbound.io/v1beta1 metadata:meta.ObjectMeta spec:SubnetSpec status:SubnetStatus",
        "SubnetSpec": "forProvider:SubnetForProvider",
        "SubnetForProvider": "vpcId:s cidrBlock:s",
        "SubnetStatus": "atProvider:SubnetAtProvider conditions:[meta.Condition#type",
        "SubnetAtProvider": "id:s",
        "SecurityGroup": "@ec2.aws.upbound.io/v1beta1 metadata:meta.ObjectMeta spec:SGSpec status:SubnetStatus",
        "SGSpec": "forProvider:SGForProvider",
        "SGForProvider": "vpcId:s subnetId:s",
        # The composite.
        "XStorageBucket": "@example.org/v1alpha1 metadata:meta.ObjectMeta spec:XSpec status:XStatus",
        "XSpec": "parameters:Parameters",
        "Parameters": "location:s versioning:b acl:s labels:{s zones:[s size:i nested:XNested",
        "XNested": "a:s b:s",
        "XStatus": "bucketName:s url:s x:s y:s count:i names:[s info:XNested conditions:[meta.Condition#type",
        # Names that Python or the SDK wants for itself.
        "Odd": "@example.org/v1 metadata:meta.ObjectMeta observed_=observed:s name_=name:s ready_=ready:b spec:OddSpec",
        "OddSpec": "from_=from:s my_field=my-field:s _ref=$ref:s observed:s name:s ready:b plain:s",
        "Renamed": "@example.org/v1=RealKind metadata:meta.ObjectMeta spec:OddSpec",
        "Tree": "@example.org/v1 metadata:meta.ObjectMeta spec:Branch",
        "Branch": "value:x child:Branch children:[Branch named:{Branch",
        "ConfigMap": "@v1 metadata:meta.ObjectMeta data:{s",
    },
    meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1",
)
