"""What needs several processes: `tests/test_many_processes.py` starts them with `mpiexec`."""
