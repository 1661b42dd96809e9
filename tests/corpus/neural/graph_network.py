"""A graph network (Battaglia et al. 2018) and a layer of graph attention (Velickovic et al. 2018)."""
from dataclasses import dataclass

import numpy as np


@dataclass
class Graph:
    nodes: np.ndarray
    edges: np.ndarray
    senders: np.ndarray
    receivers: np.ndarray


def segment_sum(data, segment_ids, num_segments):
    out = np.zeros((num_segments,) + data.shape[1:], dtype=data.dtype)
    np.add.at(out, segment_ids, data)
    return out


def segment_max(data, segment_ids, num_segments):
    out = np.full((num_segments,) + data.shape[1:], -np.inf)
    np.maximum.at(out, segment_ids, data)
    return out


def segment_softmax(logits, segment_ids, num_segments):
    biggest = segment_max(logits, segment_ids, num_segments)
    e = np.exp(logits - biggest[segment_ids])
    return e / segment_sum(e, segment_ids, num_segments)[segment_ids]


def update(params, graph):
    n = graph.nodes.shape[0]
    inputs = np.concatenate([graph.edges, graph.nodes[graph.senders], graph.nodes[graph.receivers]], axis=1)
    edges = np.tanh(inputs @ params["edge"])
    degree = np.bincount(graph.receivers, minlength=n)
    mean = segment_sum(edges, graph.receivers, n) / np.maximum(degree, 1)[:, None]
    nodes = graph.nodes + np.tanh(np.concatenate([graph.nodes, mean], axis=1) @ params["node"])
    return Graph(nodes, edges, graph.senders, graph.receivers)


def attention(params, graph):
    n = graph.nodes.shape[0]
    h = graph.nodes @ params["w"]
    logits = h[graph.senders] @ params["a_from"] + h[graph.receivers] @ params["a_to"]
    logits = np.where(logits > 0, logits, 0.2 * logits)
    alpha = segment_softmax(logits, graph.receivers, n)
    messages = alpha[:, None] * h[graph.senders]
    return segment_sum(messages, graph.receivers, n)


def loss(params, graph, target):
    for layer in params["layers"]:
        graph = update(layer, graph)
    nodes = attention(params["attention"], graph)
    readout = np.maximum(nodes, 0.0).sum(axis=0) @ params["out"]
    return (readout - target) ** 2 + 0.01 * np.sum(nodes**2)


def make_arguments(rng):
    n, e, d = 6, 11, 3

    def w(*shape):
        return 0.5 * rng.normal(size=shape)

    params = {
        "layers": [{"edge": w(3 * d, d), "node": w(2 * d, d)} for _ in range(2)],
        "attention": {"w": w(d, 4), "a_from": w(4), "a_to": w(4)},
        "out": w(4),
    }
    graph = Graph(rng.normal(size=(n, d)), rng.normal(size=(e, d)), rng.integers(0, n, e), rng.integers(0, n, e))
    return params, graph, 0.7
