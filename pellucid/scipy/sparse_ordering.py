"""An order of elimination in which the triangles of a sparse matrix fill in little: least degree first.

    1 - 2 - 3            the graph of A + A.T; 1 goes first, because it has one neighbour
                   ->    the neighbours of what is eliminated become neighbours of one another: an element has them all

The list of a node has its neighbours and the elements that it is in; a node that is eliminated is an element from then
on.  Degrees are bounds: what is in two elements may count twice.  Rows with very many entries come last.

Source: P. R. Amestoy, T. A. Davis and I. S. Duff, An Approximate Minimum Degree Ordering Algorithm (1996).
"""

import numpy as np

FEWEST_OF_DENSE, SHARE_OF_DENSE = 16, 10.0


def least_degree_order(indptr, indices):
    """The columns of a square matrix, in the order of their elimination."""
    starts, ends, near, dense = graph(indptr, indices)
    n = starts.shape[0]
    order = np.empty(n, np.int64)
    live, absorbed = np.ones(n, np.bool_), np.zeros(n, np.bool_)
    first, after, before = np.full(n + 1, -1), np.full(n, -1), np.full(n, -1)
    degrees = ends - starts
    seen, weighed, rest = np.full(n, -1), np.full(n, -1), np.zeros(n, np.int64)
    element_starts, sizes = np.zeros(n, np.int64), np.zeros(n, np.int64)
    parents = np.full(n, -1)
    members = [0]
    at = n - 1
    for i in range(n):
        if dense[i]:
            order[at] = i
            live[i] = False
            absorbed[i] = True
            at -= 1
    count = at + 1
    for back in range(n):
        i = n - 1 - back
        if live[i]:
            put_first(first, after, before, degrees[i], i)
    least = 0
    for step in range(count):
        while first[least] < 0:
            least += 1
        p = first[least]
        take_out(first, after, before, least, p)
        order[step] = p
        live[p] = False
        begin = len(members)
        for k in range(starts[p], ends[p]):
            x = near[k]
            if live[x]:
                if seen[x] != step:
                    seen[x] = step
                    members.append(x)
            elif not absorbed[x]:
                absorbed[x] = True
                parents[x] = p
                for place in range(element_starts[x], element_starts[x] + sizes[x]):
                    i = members[place]
                    if live[i] and seen[i] != step:
                        seen[i] = step
                        members.append(i)
        size = len(members) - begin
        element_starts[p] = begin
        sizes[p] = size
        for place in range(begin, begin + size):
            i = members[place]
            for k in range(starts[i], ends[i]):
                x = near[k]
                if not live[x] and not absorbed[x] and x != p:
                    if weighed[x] != step:
                        weighed[x] = step
                        rest[x] = sizes[x]
                    rest[x] -= 1
        for place in range(begin, begin + size):
            i = members[place]
            degree, write = size - 1, starts[i]
            for k in range(starts[i], ends[i]):
                x = near[k]
                if x == p or absorbed[x]:
                    continue
                if live[x]:
                    if seen[x] == step:
                        continue
                    degree += 1
                elif rest[x] == 0:
                    absorbed[x] = True
                    parents[x] = p
                    continue
                else:
                    degree += rest[x]
                near[write] = x
                write += 1
            near[write] = p
            ends[i] = write + 1
            take_out(first, after, before, degrees[i], i)
            degree = min(degree, count - step - 2, degrees[i] + size - 1)
            degrees[i] = degree
            put_first(first, after, before, degree, i)
            least = min(least, degree)
    return children_first(order, parents, count)


def children_first(order, parents, count):
    """The first nodes of an order, those of each subtree one after the other: columns that are alike stand together."""
    n = parents.shape[0]
    first, after, stack = np.full(n, -1), np.full(n, -1), np.zeros(n, np.int64)
    for back in range(count):
        i = order[count - 1 - back]
        p = parents[i]
        if p >= 0:
            after[i] = first[p]
            first[p] = i
    found = order.copy()
    at = 0
    for k in range(count):
        if parents[order[k]] >= 0:
            continue
        depth = 0
        stack[0] = order[k]
        while depth >= 0:
            i = stack[depth]
            child = first[i]
            if child >= 0:
                first[i] = after[child]
                depth += 1
                stack[depth] = child
            else:
                found[at] = i
                at += 1
                depth -= 1
    return found


def put_first(first, after, before, degree, i):
    """Into the list of the nodes of a degree."""
    following = first[degree]
    after[i] = following
    before[i] = -1
    if following >= 0:
        before[following] = i
    first[degree] = i


def take_out(first, after, before, degree, i):
    following, former = after[i], before[i]
    if former >= 0:
        after[former] = following
    else:
        first[degree] = following
    if following >= 0:
        before[following] = former


def graph(indptr, indices):
    """The neighbours of each node, once each, `near[starts[i]:ends[i]]`, and which nodes have too many to be in it."""
    n = indptr.shape[0] - 1
    counts = np.zeros(n, np.int64)
    for i in range(n):
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if i != j:
                counts[i] += 1
                counts[j] += 1
    dense = counts > max(FEWEST_OF_DENSE, SHARE_OF_DENSE * 2.0 * np.sqrt(n))
    starts = np.zeros(n, np.int64)
    total = 0
    for i in range(n):
        starts[i] = total
        total += counts[i]
    ends = starts.copy()
    near = np.empty(total, np.int32)
    for i in range(n):
        for k in range(indptr[i], indptr[i + 1]):
            j = np.int32(indices[k])
            if i != j and not dense[i] and not dense[j]:
                near[ends[i]] = j
                ends[i] += 1
                near[ends[j]] = np.int32(i)
                ends[j] += 1
    seen = np.full(n, -1)
    for i in range(n):
        write = starts[i]
        for k in range(starts[i], ends[i]):
            j = near[k]
            if seen[j] != i:
                seen[j] = i
                near[write] = j
                write += 1
        ends[i] = write
    return starts, ends, near, dense
