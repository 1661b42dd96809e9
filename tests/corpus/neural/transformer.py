"""Encoder and decoder with attention (Vaswani et al. 2017), parameters in dicts, padded sentences."""
import numpy as np

PAD = 0
HEADS = 2


def positional_encoding(length, d_model):
    pos = np.arange(length)[:, np.newaxis]
    i = np.arange(d_model)[np.newaxis, :]
    angles = pos / np.power(10000.0, (2 * (i // 2)) / d_model)
    pe = np.zeros((length, d_model))
    pe[:, 0::2] = np.sin(angles[:, 0::2])
    pe[:, 1::2] = np.cos(angles[:, 1::2])
    return pe


def layer_norm(x, p, eps=1e-5):
    mu = x.mean(-1, keepdims=True)
    var = x.var(-1, keepdims=True)
    return p["g"] * (x - mu) / np.sqrt(var + eps) + p["b"]


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def split_heads(x):
    batch, length, d = x.shape
    return x.reshape(batch, length, HEADS, d // HEADS).transpose(0, 2, 1, 3)


def merge_heads(x):
    batch, heads, length, d = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, length, heads * d)


def attention(p, query, memory, mask):
    q, k, v = (split_heads(x @ p[name]) for name, x in (("wq", query), ("wk", memory), ("wv", memory)))
    scores = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    scores = np.where(mask, scores, -1e9)
    return merge_heads(softmax(scores) @ v) @ p["wo"]


def feed_forward(p, x):
    return np.maximum(x @ p["w1"] + p["b1"], 0) @ p["w2"] + p["b2"]


def encode(params, src):
    mask = (src != PAD)[:, None, None, :]
    d_model = params["embed"].shape[1]
    x = params["embed"][src] * np.sqrt(d_model) + positional_encoding(src.shape[1], d_model)
    for layer in params["encoder"]:
        x = layer_norm(x + attention(layer["self"], x, x, mask), layer["norm1"])
        x = layer_norm(x + feed_forward(layer["ff"], x), layer["norm2"])
    return x, mask


def decode(params, tgt, memory, memory_mask):
    length = tgt.shape[1]
    causal = np.tril(np.ones((length, length), dtype=bool))
    mask = (tgt != PAD)[:, None, None, :] & causal
    x = params["embed"][tgt] * np.sqrt(params["embed"].shape[1]) + positional_encoding(length, params["embed"].shape[1])
    for layer in params["decoder"]:
        x = layer_norm(x + attention(layer["self"], x, x, mask), layer["norm1"])
        x = layer_norm(x + attention(layer["cross"], x, memory, memory_mask), layer["norm2"])
        x = layer_norm(x + feed_forward(layer["ff"], x), layer["norm3"])
    return x @ params["embed"].T


def loss(params, src, tgt, smoothing=0.1):
    memory, mask = encode(params, src)
    logits = decode(params, tgt[:, :-1], memory, mask)
    labels = tgt[:, 1:]
    vocab = logits.shape[-1]
    logp = logits - logits.max(-1, keepdims=True)
    logp = logp - np.log(np.sum(np.exp(logp), axis=-1, keepdims=True))
    target = np.eye(vocab)[labels] * (1 - smoothing) + smoothing / vocab
    per_token = -np.sum(target * logp, axis=-1)
    weights = (labels != PAD).astype(float)
    return np.sum(per_token * weights) / np.maximum(weights.sum(), 1)


def make_arguments(rng):
    d, hidden, vocab = 8, 12, 11

    def matrix(*shape):
        return rng.normal(size=shape) * 0.4

    def attend():
        return {name: matrix(d, d) for name in ("wq", "wk", "wv", "wo")}

    def norm():
        return {"g": 1 + 0.1 * matrix(d), "b": 0.1 * matrix(d)}

    def ff():
        return {"w1": matrix(d, hidden), "b1": matrix(hidden), "w2": matrix(hidden, d), "b2": matrix(d)}

    params = {
        "embed": matrix(vocab, d),
        "encoder": [{"self": attend(), "ff": ff(), "norm1": norm(), "norm2": norm()} for _ in range(2)],
        "decoder": [
            {"self": attend(), "cross": attend(), "ff": ff(), "norm1": norm(), "norm2": norm(), "norm3": norm()},
        ],
    }
    src, tgt = rng.integers(1, vocab, (3, 5)), rng.integers(1, vocab, (3, 6))
    src[1, 3:] = PAD
    tgt[2, 4:] = PAD
    return params, src, tgt
