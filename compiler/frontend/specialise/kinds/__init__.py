"""What is done with values, by kind: arrays, tuples, lists, dicts, sets, strings, instances, iterators, unions."""
