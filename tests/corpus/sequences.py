"""Sorting, scanning, searching and counting, element by element."""

import numpy as np


def bubble_sort(x):
    """Sorts by swapping neighbours, and stops after a pass without a swap."""
    out = x.copy()
    swapped = True
    while swapped:
        swapped = False
        for i in range(len(out) - 1):
            if out[i] > out[i + 1]:
                out[i], out[i + 1] = out[i + 1], out[i]
                swapped = True
    return out


def insertion_sort(x):
    out = x.copy()
    for i in range(1, len(out)):
        value = out[i]
        j = i - 1
        while j >= 0 and out[j] > value:
            out[j + 1] = out[j]
            j -= 1
        out[j + 1] = value
    return out


def selection_sort(x):
    """Bring the smallest of the rest to the front, again and again."""
    out = x.copy()
    for i in range(len(out)):
        smallest = i + np.argmin(out[i:])
        out[i], out[smallest] = out[smallest], out[i]
    return out


def shell_sort(x):
    """Insertion sort over shrinking gaps."""
    out = x.copy()
    gap = len(out) // 2
    while gap > 0:
        for i in range(gap, len(out)):
            value, j = out[i], i
            while j >= gap and out[j - gap] > value:
                out[j] = out[j - gap]
                j -= gap
            out[j] = value
        gap //= 2
    return out


def merge_sorted(t, s):
    """Merge two sorted vectors."""
    merged = np.empty(len(t) + len(s))
    i, j = 0, 0
    for k in range(len(merged)):
        if j >= len(s) or (i < len(t) and t[i] <= s[j]):
            merged[k] = t[i]
            i += 1
        else:
            merged[k] = s[j]
            j += 1
    return merged


def quick_select(x, k):
    """The k-th smallest value by partition in place."""
    work = x.copy()
    low, high = 0, len(work) - 1
    while low < high:
        pivot, i, j = work[(low + high) // 2], low, high
        while i <= j:
            while work[i] < pivot:
                i += 1
            while work[j] > pivot:
                j -= 1
            if i <= j:
                work[i], work[j] = work[j], work[i]
                i, j = i + 1, j - 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            break
    return work[k - 1]


def stable_partition(x, alpha):
    """Values below alpha first, the order kept on both sides."""
    out = np.empty_like(x)
    place = 0
    for value in x:
        if value < alpha:
            out[place] = value
            place += 1
    for value in x:
        if not value < alpha:
            out[place] = value
            place += 1
    return out


def prefix_sums(x):
    """Inclusive sums, and the range sum they give for the middle half."""
    sums = np.zeros(len(x) + 1)
    for i in range(len(x)):
        sums[i + 1] = sums[i] + x[i]
    quarter = len(x) // 4
    return sums[1:], sums[len(x) - quarter] - sums[quarter]


def running_maximum(x):
    out = np.empty(len(x))
    largest = -np.inf
    for i, value in enumerate(x):
        largest = max(largest, value)
        out[i] = largest
    return out


def linear_recurrence(x, p):
    """h[i] = p[i] h[i - 1] + x[i], a scan in two loops that double the stride."""
    factor, total = 0.5 * p, x.copy()
    stride = 1
    while stride < len(x):
        shifted_total, shifted_factor = total[:-stride], factor[:-stride]
        total = np.concatenate([total[:stride], total[stride:] + factor[stride:] * shifted_total])
        factor = np.concatenate([factor[:stride], factor[stride:] * shifted_factor])
        stride *= 2
    return total


def binary_search(t, p):
    """For each value of p, how many values of t are below it."""
    found = np.zeros(len(p), dtype=np.int64)
    for k in range(len(p)):
        low, high = 0, len(t)
        while low < high:
            middle = (low + high) // 2
            if t[middle] < p[k]:
                low = middle + 1
            else:
                high = middle
        found[k] = low
    return found


def histogram(x, n_bins=5):
    """Counts in equal bins between -2 and 2; what lies outside goes to the outer bins."""
    counts = np.zeros(n_bins, dtype=np.int64)
    for value in x:
        place = int(np.floor((value + 2.0) / 4.0 * n_bins))
        counts[min(max(place, 0), n_bins - 1)] += 1
    return counts


def linear_histogram(x, weights):
    """Weight shared between the two nearest of six grid points."""
    density = np.zeros(6)
    for value, weight in zip(x, weights):
        place = 2.5 + np.tanh(value) * 2.4
        left = int(place)
        density[left] += weight * (1.0 - (place - left))
        density[left + 1] += weight * (place - left)
    return density


def closest_pair_sum(t, a):
    """The sum of two values of a sorted vector that comes closest to 2 a, by two pointers."""
    i, j = 0, len(t) - 1
    best = t[0] + t[j]
    while i < j:
        total = t[i] + t[j]
        if abs(total - 2.0 * a) < abs(best - 2.0 * a):
            best = total
        if total < 2.0 * a:
            i += 1
        else:
            j -= 1
    return best


def trapped_water(p):
    """Water held between bars of heights p, by two pointers."""
    left, right = 0, len(p) - 1
    left_high, right_high, water = 0.0, 0.0, 0.0
    while left <= right:
        if left_high <= right_high:
            left_high = max(left_high, p[left])
            water += left_high - p[left]
            left += 1
        else:
            right_high = max(right_high, p[right])
            water += right_high - p[right]
            right -= 1
    return water


def reverse_in_place(x, k):
    """Rotate to the right by k with three reversals."""
    out = x.copy()
    n = len(out)
    for start, stop in ((0, n), (0, k), (k, n)):
        i, j = start, stop - 1
        while i < j:
            out[i], out[j] = out[j], out[i]
            i += 1
            j -= 1
    return out


def count_inversions(x):
    count = 0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if x[i] > x[j]:
                count += 1
    return count


def longest_run(labels):
    """Length of the longest run of equal labels, and the label."""
    best, best_label, length = 1, labels[0], 1
    for i in range(1, len(labels)):
        length = length + 1 if labels[i] == labels[i - 1] else 1
        if length > best:
            best, best_label = length, labels[i]
    return best, best_label


def counting_sort(labels):
    counts = np.zeros(3, dtype=np.int64)
    for label in labels:
        counts[label] += 1
    out = np.empty(len(labels), dtype=np.int64)
    place = 0
    for label in range(3):
        for _ in range(counts[label]):
            out[place] = label
            place += 1
    return out


def majority_label(labels):
    """Boyer and Moore's vote."""
    candidate, votes = 0, 0
    for label in labels:
        if votes == 0:
            candidate = label
        votes += 1 if label == candidate else -1
    return candidate


def sum_by_label(x, labels):
    """Scatter-add of values into their classes."""
    totals = np.zeros(3)
    for i in range(len(x)):
        totals[labels[i]] += x[i]
    return totals


def sliding_maximum(x, k):
    out = np.empty(len(x) - k + 1)
    for i in range(len(out)):
        out[i] = np.max(x[i : i + k])
    return out


def sieve(count):
    """Which of the numbers up to 5 count are prime."""
    prime = np.ones(5 * count + 1, dtype=bool)
    prime[:2] = False
    i = 2
    while i * i <= 5 * count:
        if prime[i]:
            prime[i * i :: i] = False
        i += 1
    return prime


def positive_values_mean(x, a):
    """Collect what is positive in a list, then average with a start value."""
    chosen = [a]
    for value in x:
        if value > 0.0:
            chosen.append(value)
    return sum(chosen) / len(chosen)


NO_GRADIENT = {
    "binary_search": "integers",
    "histogram": "integers",
    "count_inversions": "an integer",
    "longest_run": "integers",
    "counting_sort": "integers",
    "majority_label": "an integer",
    "sieve": "booleans",
}
