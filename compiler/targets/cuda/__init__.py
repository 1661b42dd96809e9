"""From the text of a kernels stage to machine code of a GPU, which needs no GPU."""
