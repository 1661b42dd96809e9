"""What every test shares: the verifier is on, Hypothesis is deterministic, `--update-cases` rewrites expectations."""

import os

import pytest
from hypothesis import HealthCheck, settings

os.environ["PELLUCID_VERIFY"] = "1"

# A first example may compile a function, which is far slower than the rest: no deadline judges that fairly.
settings.register_profile(
    "default", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("long", settings.get_profile("default"), derandomize=False, max_examples=5000)
settings.load_profile("default")


def pytest_addoption(parser):
    parser.addoption(
        "--update-cases", action="store_true", help="rewrite the expected text of case files instead of comparing"
    )


@pytest.fixture(scope="session")
def update_cases(request):
    """Whether expectations are to be rewritten."""
    return request.config.getoption("--update-cases")
