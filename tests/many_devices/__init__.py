"""What needs several devices: their number is read once in a process, so these run in one with eight of them.

`tests/test_many_devices.py` starts it, and has a test for each function here whose name starts with `test_`.
"""
