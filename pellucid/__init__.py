"""Pellucid: a compiler for pure numeric Python you can see through."""

__version__ = "0.1.0"
