"""Reverse mode, part by part; `transform/reverse.py` puts them together."""
