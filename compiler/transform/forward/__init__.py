"""Forward mode: derivatives as functions that carry tangents along."""
