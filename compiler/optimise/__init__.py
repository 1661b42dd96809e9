"""What is done to loop nests as a whole, once they are written: fused, freed of arrays, of allocations in loops."""
