"""What printed kernels files call: device functions, and the shapes of launches."""
