"""Programs about the subjects of public bug reports, by field (`tests/test_public_reports.py`)."""
