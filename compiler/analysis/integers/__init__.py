"""One theory of integers: lengths, indices and loop variables, and what is known of them."""
