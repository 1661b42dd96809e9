"""Where paths meet: the type, the value and the name that hold the value of either path."""
