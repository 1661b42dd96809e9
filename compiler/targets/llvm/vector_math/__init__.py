"""Functions of floating numbers that loops compute several lanes at a time, at most two units in the last place off."""
