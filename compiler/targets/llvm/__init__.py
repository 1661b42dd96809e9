"""From typed core to loops, and from loops to machine code."""
