"""From array operators to loop nests: the rules that `lower/loops.py` applies, one file per kind of operator."""
