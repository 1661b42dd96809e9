"""Lists, dicts and instances as objects: the heap, who sees an object, and changes to it."""
