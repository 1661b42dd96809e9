"""Barnes and Hut's tree of cells in one dimension: nodes made one by one, children found by their number.

Barnes, Hut, "A hierarchical O(N log N) force-calculation algorithm", Nature 324 (1986).
"""
import numpy as np


class Node:
    def __init__(self, lo, hi):
        self.lo = lo
        self.hi = hi
        self.mass = 0.0
        self.moment = 0.0
        self.body = -1
        self.left = -1
        self.right = -1

    def is_leaf(self):
        return self.left < 0

    def centre(self):
        return self.moment / self.mass


class Tree:
    def __init__(self, lo, hi):
        self.nodes = [Node(lo, hi)]

    def child(self, k, x):
        node = self.nodes[k]
        return node.left if x < 0.5 * (node.lo + node.hi) else node.right

    def split(self, k):
        node = self.nodes[k]
        middle = 0.5 * (node.lo + node.hi)
        node.left = len(self.nodes)
        self.nodes.append(Node(node.lo, middle))
        node.right = len(self.nodes)
        self.nodes.append(Node(middle, node.hi))

    def insert(self, body, x, m):
        k = 0
        while True:
            node = self.nodes[k]
            if node.is_leaf():
                if node.body < 0:
                    node.body = body
                    break
                other = node.body
                self.split(k)
                self.nodes[k].body = -1
                self.nodes[self.child(k, x[other])].body = other
            k = self.child(k, x[body])

    def summarise(self, x, m):
        for node in reversed(self.nodes):
            if node.is_leaf():
                if node.body >= 0:
                    node.mass = m[node.body]
                    node.moment = m[node.body] * x[node.body]
            else:
                a, b = self.nodes[node.left], self.nodes[node.right]
                node.mass = a.mass + b.mass
                node.moment = a.moment + b.moment

    def force(self, x, theta, soft):
        total = 0.0
        stack = [0]
        while stack:
            node = self.nodes[stack.pop()]
            if node.mass == 0.0:
                continue
            d = node.centre() - x
            if node.is_leaf() or (node.hi - node.lo) < theta * abs(d):
                total += node.mass * d / (d * d + soft * soft) ** 1.5
            else:
                stack.append(node.left)
                stack.append(node.right)
        return total


def accelerations(x, m, theta=0.5, soft=0.05):
    tree = Tree(x.min() - 1.0, x.max() + 1.0)
    for body in range(len(x)):
        tree.insert(body, x, m)
    tree.summarise(x, m)
    a = np.array([tree.force(xi, theta, soft) for xi in x])
    return 0.5 * np.sum(m * a ** 2), a, len(tree.nodes)


ENTRY = "accelerations"


def make_arguments(rng, n):
    return (rng.uniform(-5, 5, n), rng.uniform(0.5, 2.0, n))


GRADIENT = ("x", "m", "soft")
ERRORS = []
