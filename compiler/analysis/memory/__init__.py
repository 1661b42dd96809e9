"""One theory of memory: who reads and stores what, and which two accesses may meet."""
