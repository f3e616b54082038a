"""For all tests: property tests without a deadline, since the machine may be busy, and the same on every run."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# A busy machine is no fault of the code: no deadline and no complaint about slow examples.
BUSY = [HealthCheck.too_slow]
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=BUSY)
settings.register_profile("search", deadline=None, max_examples=2000, suppress_health_check=BUSY)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
