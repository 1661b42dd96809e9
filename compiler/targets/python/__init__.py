"""How trees become text: fold temporaries, spell operators, write Python with comments."""
