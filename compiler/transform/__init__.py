"""Rewritings of typed core: each takes a tree and gives a tree of the same language."""
