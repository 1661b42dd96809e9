"""Exceptions: `raise`, `try`, and the tests that stand for what may raise inside one."""
