"""Derivatives inside a function, and functions with a rule of their own."""
