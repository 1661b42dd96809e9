"""What a function changes and reads, judged before types are known."""
