"""Products of matrices that users wrote as loops."""
