"""Where paths meet: the type, the value and the name that hold what either path has."""
