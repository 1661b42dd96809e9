"""Text search: tokens, stop words, stemming by suffixes, inverted index, BM25 and cosine ranks, snippets, readability.

Robertson & Zaragoza, "The probabilistic relevance framework: BM25 and beyond" (2009); Flesch reading ease.
"""
import math
from collections import Counter, defaultdict

import numpy as np

STOP = frozenset("a an and are as at be by for from in is it of on or that the to was with".split())
SUFFIXES = ("ations", "ation", "ings", "ing", "edly", "ed", "es", "ly", "s")


def tokens(text):
    words, current = [], ""
    for ch in text.lower():
        if ch.isalpha() or ch == "'":
            current += ch
        elif current:
            words.append(current)
            current = ""
    if current:
        words.append(current)
    return words


def stem(word):
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    return word


def terms(text):
    return [stem(w) for w in tokens(text) if w not in STOP]


def syllables(word):
    count, before = 0, False
    for ch in word:
        vowel = ch in "aeiouy"
        if vowel and not before:
            count += 1
        before = vowel
    return max(1, count - (word.endswith("e") and count > 1))


def flesch(text):
    words = tokens(text)
    sentences = max(1, sum(text.count(mark) for mark in ".!?"))
    return 206.835 - 1.015 * len(words) / sentences - 84.6 * sum(map(syllables, words)) / len(words)


class Index:
    def __init__(self, documents, k1=1.5, b=0.75):
        self.k1, self.b = k1, b
        self.counts = [Counter(terms(d)) for d in documents]
        self.lengths = [sum(c.values()) for c in self.counts]
        self.average = sum(self.lengths) / len(documents)
        self.postings = defaultdict(list)
        for number, counts in enumerate(self.counts):
            for term in counts:
                self.postings[term].append(number)

    def idf(self, term):
        n = len(self.postings[term]) if term in self.postings else 0
        return math.log(1 + (len(self.counts) - n + 0.5) / (n + 0.5))

    def bm25(self, query):
        scores = np.zeros(len(self.counts))
        for term in query:
            for d in self.postings.get(term, []):
                tf = self.counts[d][term]
                norm = 1 - self.b + self.b * self.lengths[d] / self.average
                scores[d] += self.idf(term) * tf * (self.k1 + 1) / (tf + self.k1 * norm)
        return scores

    def cosine(self, query):
        wanted = Counter(query)
        result = []
        for counts in self.counts:
            dot = sum(counts[t] * wanted[t] * self.idf(t) ** 2 for t in wanted)
            norm = math.sqrt(sum((n * self.idf(t)) ** 2 for t, n in counts.items()))
            result.append(dot / norm if norm else 0.0)
        return result


def snippet(text, query, width=20):
    for word in text.split():
        if stem(word.lower().strip(".,!?")) in query:
            at = text.find(word)
            return text[max(0, at - width) : at + len(word) + width]
    return text[:width]


def search(documents, query, top=2):
    """The best documents with their scores and snippets, cosines, the commonest terms and the reading ease."""
    if not documents:
        raise ValueError("nothing to search")
    index = Index(documents)
    wanted = terms(query)
    scores = index.bm25(wanted)
    order = np.argsort(-scores, kind="stable")[:top]
    best = [(int(d), float(scores[d]), snippet(documents[d], wanted)) for d in order]
    common = sum(index.counts, Counter()).most_common(3)
    return best, index.cosine(wanted), common, [flesch(d) for d in documents]


ENTRY = "search"


def make_arguments(rng, n):
    words = "the cats were chasing mice and a dog was running after cars in the moving station".split()
    texts = [" ".join(words[int(k)] for k in rng.integers(0, len(words), size=8)) + "." for _ in range(n)]
    return texts, "running cats"


GRADIENT = ()
ERRORS = [(lambda rng, n: ([], "cats"), ValueError)]
