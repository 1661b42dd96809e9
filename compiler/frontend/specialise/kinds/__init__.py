"""Operations on values, by kind: arrays, tuples, lists, dicts, sets, strings, instances, iterators, unions."""
