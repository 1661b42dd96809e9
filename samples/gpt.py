"""Characters by a small transformer
=================================

A GPT: characters and their places become vectors, blocks of attention and of two linear layers change them, and the
last vectors are compared with those of all characters. It is trained on a short tale, and then writes one. Blocks are
plain dataclasses; the whole step of training is one compiled function.

Sources: A. Vaswani and others, Attention is all you need (2017), arXiv:1706.03762; A. Radford and others, Language
models are unsupervised multitask learners (2019).

``python samples/gpt.py [--steps 400] [--out FOLDER]``
"""

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pellucid import compile, nn, optim, random, value_and_grad

CONTEXT = 64  # characters that a prediction sees
BATCH = 16
WIDTH, HEADS, DEPTH = 64, 4, 2
TEXT = Path(__file__).parent / "data" / "harbour.txt"


@dataclass
class Block:
    """Attention to earlier characters, and two linear layers, each added to what came in."""

    norm: nn.LayerNorm
    attention: nn.MultiHeadAttention
    second_norm: nn.LayerNorm
    layers: nn.MLP

    def __call__(self, x):
        x = x + self.attention(self.norm(x), causal=True)
        return x + self.layers(self.second_norm(x))


@dataclass
class GPT:
    """Characters (batch, time), as numbers, to logits (batch, time, characters)."""

    characters: nn.Embedding
    places: nn.Embedding
    blocks: list
    norm: nn.LayerNorm

    def __call__(self, numbers):
        x = self.characters(numbers) + self.places(np.arange(numbers.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.characters.attend(self.norm(x))


def make_block(key):
    of_attention, of_layers = random.split(key)
    return Block(
        norm=nn.LayerNorm.create(WIDTH),
        attention=nn.MultiHeadAttention.create(of_attention, WIDTH, HEADS),
        second_norm=nn.LayerNorm.create(WIDTH),
        layers=nn.MLP.create(of_layers, (WIDTH, 4 * WIDTH, WIDTH), activation=nn.gelu),
    )


def make_gpt(key, characters):
    of_characters, of_places, *of_blocks = random.split(key, DEPTH + 2)
    return GPT(
        characters=nn.Embedding.create(of_characters, characters, WIDTH),
        places=nn.Embedding.create(of_places, CONTEXT, WIDTH),
        blocks=[make_block(one) for one in of_blocks],
        norm=nn.LayerNorm.create(WIDTH),
    )


optimizer = optim.chain(
    optim.clip_by_global_norm(1.0),
    optim.adamw(optim.warmup_cosine_decay_schedule(0.0, 3e-3, 40, 1000, 3e-4), weight_decay=0.01),
)


def loss(gpt, numbers):
    """The mean surprise at each character after the first."""
    logits = gpt(numbers[:, :-1])
    return np.mean(nn.softmax_cross_entropy_with_integer_labels(logits, numbers[:, 1:]))


@compile
def step(gpt, state, numbers):
    value, slopes = value_and_grad(loss)(gpt, numbers)
    updates, state = optimizer.update(slopes, state, gpt)
    return optim.apply_updates(gpt, updates), state, value


@compile
def write(gpt, key, start, length):
    """`start` and so many characters after it, each drawn from what the model takes for likely."""
    numbers = np.zeros(len(start) + length, np.int64)
    numbers[: len(start)] = start
    for k in range(len(start), len(start) + length):
        seen = numbers[max(k - CONTEXT, 0) : k]
        logits = gpt(seen[None])[0, -1]
        numbers[k] = random.categorical(random.fold_in(key, k), logits / 0.7)
    return numbers


def save_picture(curve, folder):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 4.0), layout="constrained")
    axes.plot(curve, linewidth=0.8)
    axes.set(xlabel="step", ylabel="cross-entropy of a character (nats)")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "gpt.png"
    figure.savefig(path, dpi=120)
    return path


def main():
    options = argparse.ArgumentParser(description="Train a small transformer on the characters of a tale.")
    options.add_argument("--steps", type=int, default=400)
    options.add_argument("--out", type=Path, default=Path("samples/output"), help="the folder for the picture")
    arguments = options.parse_args()

    text = TEXT.read_text("utf-8").replace("\n\n", "\r").replace("\n", " ").replace("\r", "\n")
    characters = sorted(set(text))
    numbers = np.array([characters.index(one) for one in text])
    print(f"{len(numbers)} characters, {len(characters)} different ones")

    gpt = make_gpt(random.key(0), len(characters))
    state = optimizer.init(gpt)
    rng = np.random.default_rng(1)
    started, curve = time.perf_counter(), []
    for k in range(1, arguments.steps + 1):
        starts = rng.integers(0, len(numbers) - CONTEXT, BATCH)
        gpt, state, value = step(gpt, state, numbers[starts[:, None] + np.arange(CONTEXT + 1)])
        curve.append(value)
        if k % max(arguments.steps // 10, 1) == 0:
            print(
                f"step {k} of {arguments.steps}   loss {float(value):.3f}   {time.perf_counter() - started:.1f} s",
                flush=True,
            )

    start = np.array([characters.index(one) for one in "The lamp "])
    print("\n" + "".join([characters[k] for k in np.asarray(write(gpt, random.key(2), start, 200))]) + "\n")
    print(f"picture saved in {save_picture([float(value) for value in curve], arguments.out)}")


if __name__ == "__main__":
    main()
