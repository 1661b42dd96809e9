"""The abstract interpreter: core -> typed.

Its files import one another in a circle, the only one of the compiler: an expression may hold a call, a call walks into
the statements of another function, and a statement evaluates expressions.  They are one recursive function over the
grammar, told in files by kind of node.
"""
