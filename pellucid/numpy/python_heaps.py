"""Python's `heapq`, written in the language: the same steps, so that the list is arranged as CPython arranges it."""


def moved_down(heap, start, place):
    """An item goes towards the start, past those that are greater."""
    item = heap[place]
    while place > start:
        parent = (place - 1) // 2
        if not item < heap[parent]:
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = item


def moved_up(heap, place):
    """An item goes down to a leaf, past the smaller one of each pair, and back to where it belongs."""
    end, start = len(heap), place
    item = heap[place]
    child = 2 * place + 1
    while child < end:
        if child + 1 < end and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = item
    moved_down(heap, start, place)


def heappush(heap, item):
    heap.append(item)
    moved_down(heap, 0, len(heap) - 1)


def heappop(heap):
    if len(heap) == 0:
        raise IndexError("index out of range")
    last = heap.pop()
    if len(heap) == 0:
        return last
    least = heap[0]
    heap[0] = last
    moved_up(heap, 0)
    return least


def heapreplace(heap, item):
    if len(heap) == 0:
        raise IndexError("index out of range")
    least = heap[0]
    heap[0] = item
    moved_up(heap, 0)
    return least


def heappushpop(heap, item):
    if len(heap) > 0 and heap[0] < item:
        return heapreplace(heap, item)
    return item


def heapify(heap):
    for place in range(len(heap) // 2 - 1, -1, -1):
        moved_up(heap, place)


def nsmallest(n, iterable, key=None):
    found = sorted(iterable, key=key)
    return found[: n if n > 0 else 0]


def nlargest(n, iterable, key=None):
    found = sorted(iterable, key=key, reverse=True)
    return found[: n if n > 0 else 0]
