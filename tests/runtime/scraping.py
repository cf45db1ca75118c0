"""What Prometheus gets from a server, read by its own parser."""

from __future__ import annotations

import urllib.request

from prometheus_client.parser import text_string_to_metric_families

from tests.runtime.serving import Serving

__all__ = ["scraped"]


def scraped(server: Serving) -> dict[str, float]:
    """Return what a server says to Prometheus: names with the values of their labels, and numbers."""
    address = server.record("serving")["metrics_address"]
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=60) as answer:
        text = answer.read().decode()
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found[" ".join([sample.name, *sample.labels.values()])] = sample.value
    return found
