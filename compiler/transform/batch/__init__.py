"""The vectoriser: a function of one example becomes one of all examples, statement by statement."""
