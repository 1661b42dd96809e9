"""From array operators to loop nests: the rules that `backend/loops.py` applies, one file per kind of operator."""
