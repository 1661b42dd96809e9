"""Devices of CUDA: the driver, memory, kernels.

    driver      whether there is one, and the native part with it: arrays, copies, launches
    kernels     compiled kernels with the printed driver that launches them
    verdicts    whether a kernel of a call has found an error
"""
