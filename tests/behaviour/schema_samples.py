"""Schemas of the kinds that the behaviour tests have, and short cuts to what is wrong with a value."""

from __future__ import annotations

__all__ = ["API", "KEY", "NOT_TEXT", "bucket_schema", "errors", "paths", "vpc_schema"]

from typing import Any

from crossplane_lite import schemas

NOT_TEXT = "must be a string (got 5 that is an integer)"
"""What is wrong with 5 where text has to be."""

API = "storage.gcp.upbound.io/v1beta1"
KEY = f"{API}/Bucket"


def kind_of(group: str, version: str, kind: str) -> list[dict[str, str]]:
    """Return what says of a schema which kind it is for."""
    return [{"group": group, "version": version, "kind": kind}]


def bucket_schema() -> dict[str, Any]:
    """Return a schema for the buckets of the behaviour tests, as an API server would serve it."""
    provider = {
        "type": "object",
        "required": ["location"],
        "properties": {
            "location": {"type": "string", "enum": ["US", "EU"]},
            "project": {"type": "string", "maxLength": 20},
            "size": {"type": "integer", "format": "int32", "minimum": 1},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "versioning": {
                "type": "array",
                "items": {"type": "object", "properties": {"enabled": {"type": "boolean"}}},
            },
            "rules": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
                "items": {
                    "type": "object",
                    "required": ["name"],
                    "properties": {
                        "name": {"type": "string"},
                        "action": {"type": "string"},
                        "age": {"type": "integer"},
                    },
                },
            },
            "zones": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        },
    }
    return {
        "type": "object",
        "required": ["spec"],
        "x-kubernetes-group-version-kind": kind_of("storage.gcp.upbound.io", "v1beta1", "Bucket"),
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": {
                "type": "object",
                "required": ["forProvider"],
                "properties": {
                    "forProvider": provider,
                    "deletionPolicy": {"type": "string", "enum": ["Orphan", "Delete"], "default": "Delete"},
                },
            },
            "status": {
                "type": "object",
                "properties": {"atProvider": {"type": "object", "properties": {"count": {"type": "integer"}}}},
            },
        },
    }


def vpc_schema() -> dict[str, Any]:
    """Return a schema that VPCs only fit with a region."""
    provider = {"type": "object", "required": ["region"], "properties": {"region": {"type": "string"}}}
    return {
        "type": "object",
        "x-kubernetes-group-version-kind": kind_of("ec2.aws.upbound.io", "v1beta1", "VPC"),
        "properties": {"spec": {"type": "object", "properties": {"forProvider": provider}}},
    }


def errors(schema: dict[str, Any], value: Any) -> list[str]:
    """Return what is wrong with `value` under `spec.x`, whose schema this is, without what all paths start with."""
    whole = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"x": schema}}}}
    found = schemas.errors_in({"kind": "Thing", "spec": {"x": value}}, whole)
    return [str(error).removeprefix("Thing.spec.") for error in found]


def paths(found: list[schemas.FieldError]) -> list[str]:
    """Return the paths of errors."""
    return [error.path for error in found]
