"""From a Python function to typed core: read, resolve, check, desugar, specialise."""
