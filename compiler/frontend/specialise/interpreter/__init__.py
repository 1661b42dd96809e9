"""Walk the user's tree: expressions, statements, branches, loops and calls."""
