"""From the source of a file to core: read, resolve names, find helpers, desugar."""
