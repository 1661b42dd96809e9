"""Reverse mode, part by part; `transform/reverse/reverse.py` puts them together."""
