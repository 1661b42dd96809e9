"""From the text of a file to core: read, resolve names, find helpers, desugar."""
