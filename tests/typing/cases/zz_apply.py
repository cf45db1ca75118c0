# pyright: strict
from __future__ import annotations
import json
from typing_extensions import reveal_type
from crossplane_lite import Observable, apply
from tests.typing.model.io.upbound.gcp.storage.bucket.v1beta1 import Bucket

def sha(text: str) -> str: return text
def two(a: str, n: int) -> list[str]: return [a]

def f(bucket: Bucket, plain: Observable[str], anyo: Observable, x: str) -> None:
    reveal_type(apply(lambda s: s.upper(), bucket.observed.spec.forProvider.location))
    reveal_type(apply(sha, bucket.observed.spec.forProvider.location))
    reveal_type(apply(sha, plain))
    reveal_type(apply(str.upper, plain))
    reveal_type(apply(len, x))
    reveal_type(apply(lambda s: s + "a", plain))
    reveal_type(apply(lambda s, n: s * n, plain, bucket.metadata.generation))
    reveal_type(apply(two, plain, 5))
    reveal_type(apply(lambda s: s[0], anyo))
    reveal_type(apply(json.dumps, {"a": plain}))
    reveal_type(apply(lambda parts: ",".join(parts), [plain, "x"]))
    reveal_type(apply(lambda d: d["a"], bucket.metadata.labels))
    reveal_type(apply(int, plain))
    reveal_type(apply(",".join, [plain]))
    vpc = bucket.observed.status.atProvider
    reveal_type(vpc.url)
    reveal_type("id: " + vpc.url)
    reveal_type(apply(lambda u, n: u * n, vpc.url, 3))
    reveal_type(apply(lambda u, v: u + v, vpc.url, vpc.url))
    reveal_type(apply(lambda a, b, c: a + b + c, vpc.url, vpc.url, "x"))
    reveal_type(bucket.condition("Ready").status)
    apply(lambda s: s, plain, plain)
    apply(two, plain)
    apply(sha, 5)
    apply(lambda: 5)
    bucket.spec.forProvider.location = apply(sha, plain)
    bucket.metadata.labels["a"] = apply(lambda s: s.lower(), plain)
