"""The abstract interpreter: core -> typed.

Its files import one another in a cycle, the only one in the compiler: an expression may hold a call, a call walks into
the statements of another function, and a statement evaluates expressions.  They are one recursive function over the
grammar, divided into files by kind of node.
"""
