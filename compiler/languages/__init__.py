"""Read what a stage prints, or what a user made of it."""
