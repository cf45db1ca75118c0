"""Last known values: the notes of a step, and a request with the noted values put back.

**A value that was there and goes missing counts as it last was.** `notes` has what a step's
resources remember, and says of a missing value whether it was there. `carriers` spreads new notes
over the resources of an answer. `put_back` makes the request of a run with the noted values in the
place of missing ones.

This package knows requests, answers and values, but no models: the caller reads the values and
hands them over. It imports `codec`, `base`, `paths` and `observed.lookup`.
"""

from typing import Final

KNOWN: Final = "crossplane-lite/known"
"""The annotation with the notes."""
