"""What a function reads from outside itself, and the guards of it."""
