"""A policy that balances a pole
=============================

A pole stands on a cart that is pushed to the left or to the right at every step. An actor says how likely each push is
and learns from episodes that it plays by chance (REINFORCE); a critic learns what an episode is still worth, and an
action counts by how much better than that it went. Episodes are played side by side; the play, the returns and the step
of both optimisers are one compiled function. The gradient is that of the probabilities, not of the motion.

Sources: A. Barto, R. Sutton, C. Anderson, Neuronlike adaptive elements that can solve difficult learning control
problems (1983), doi:10.1109/TSMC.1983.6313077, for the motion; R. Williams, Simple statistical gradient-following
algorithms for connectionist reinforcement learning (1992), doi:10.1007/BF00992696.

``python samples/cartpole.py [--steps 150] [--out FOLDER]``
"""

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pellucid import compile, grad, nn, optim, random, stop_gradient

GRAVITY, CART, POLE, HALF_LENGTH, FORCE, DT = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
WIDEST, STEEPEST = 2.4, 12.0 * np.pi / 180.0  # an episode ends where the cart or the pole is farther away
LENGTH, EPISODES = 200, 32
DISCOUNT = 0.99


def moved(state, action):
    """The states (..., 4) after a push: place and speed of the cart, angle and turning speed of the pole."""
    x, speed, angle, turning = state[..., 0], state[..., 1], state[..., 2], state[..., 3]
    force = np.where(action == 1, FORCE, -FORCE)
    pull = (force + POLE * HALF_LENGTH * turning**2 * np.sin(angle)) / (CART + POLE)
    bend = (GRAVITY * np.sin(angle) - np.cos(angle) * pull) / (
        HALF_LENGTH * (4.0 / 3.0 - POLE * np.cos(angle) ** 2 / (CART + POLE))
    )
    push = pull - POLE * HALF_LENGTH * bend * np.cos(angle) / (CART + POLE)
    return np.stack([x + DT * speed, speed + DT * push, angle + DT * turning, turning + DT * bend], axis=-1)


def stands(state):
    return (np.abs(state[..., 0]) < WIDEST) & (np.abs(state[..., 2]) < STEEPEST)


@dataclass
class Agent:
    """The actor gives the logits of both pushes, the critic what is still to come."""

    actor: nn.MLP
    critic: nn.MLP


def play(agent, key, episodes):
    """Episodes by chance: states (LENGTH, episodes, 4), pushes, and whether each state still counts."""
    key_of_start, key_of_pushes = random.split(key)
    state = random.uniform(key_of_start, (episodes, 4), np.float64, -0.05, 0.05)
    states = np.empty((LENGTH, episodes, 4))
    actions = np.empty((LENGTH, episodes), np.int64)
    counts = np.empty((LENGTH, episodes))
    alive = np.ones(episodes, bool)
    for t in range(LENGTH):
        action = random.categorical(random.fold_in(key_of_pushes, t), agent.actor(state))
        states[t], actions[t], counts[t] = state, action, alive
        state = moved(state, action)
        alive = alive & stands(state)
    return states, actions, counts


def returns_of(counts):
    """What is still to come at each step, where every step is worth 1."""
    returns = np.empty(counts.shape)
    later = np.zeros(counts.shape[1])
    for t in range(counts.shape[0] - 1, -1, -1):
        later = counts[t] * (1.0 + DISCOUNT * later)
        returns[t] = later
    return returns


def loss(agent, states, actions, counts, returns):
    values = agent.critic(states)[..., 0]
    likely = nn.log_softmax(agent.actor(states))
    chosen = np.where(actions == 1, likely[..., 1], likely[..., 0])
    better = returns - values
    advantage = (better - np.sum(counts * better) / np.sum(counts)) / 20.0
    surprise = -np.sum(counts * chosen * stop_gradient(advantage)) / np.sum(counts)
    return surprise + 0.5 * np.sum(counts * (better / 20.0) ** 2) / np.sum(counts)


optimizer = optim.chain(optim.clip_by_global_norm(0.5), optim.adam(5e-3))


@compile
def step(agent, state, key):
    """One step of training: the agent, the state of the optimiser, the key, and how long its episodes were."""
    key, own = random.split(key)
    states, actions, counts = play(agent, own, EPISODES)
    slopes = grad(loss)(agent, states, actions, counts, returns_of(counts))
    updates, state = optimizer.update(slopes, state, agent)
    return optim.apply_updates(agent, updates), state, key, np.mean(np.sum(counts, axis=0))


@compile
def balanced(agent, start, length):
    """The states when always the likelier push is made, and how long the pole stands."""
    states, state, steps = np.empty((length, 4)), start, 0
    for t in range(length):
        states[t] = state
        if not stands(state):
            break
        steps = t + 1
        state = moved(state, np.argmax(agent.actor(state)))
    return states, steps


def save_picture(curve, states, folder):
    """How long episodes were, and an episode of the trained agent; gives the path of the picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (above, below) = pyplot.subplots(2, figsize=(6.4, 5.6), layout="constrained")
    above.plot(curve, linewidth=0.8)
    above.set(xlabel="step of training", ylabel=f"steps of an episode\n(at most {LENGTH})")
    for k in range(0, len(states), 10):
        x, angle = states[k, 0], states[k, 2]
        shade = f"{0.85 - 0.85 * k / len(states):.2f}"
        below.plot([x, x + 2 * HALF_LENGTH * np.sin(angle)], [0.0, 2 * HALF_LENGTH * np.cos(angle)], color=shade)
    below.set(xlabel="place of the cart (m), the later the darker", ylabel="height (m)", xlim=(-WIDEST, WIDEST))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "cartpole.png"
    figure.savefig(path, dpi=120)
    return path


def main():
    options = argparse.ArgumentParser(description="Train a policy to balance a pole on a cart.")
    options.add_argument("--steps", type=int, default=150)
    options.add_argument("--out", type=Path, default=Path("samples/output"), help="the folder for the picture")
    arguments = options.parse_args()

    key, key_of_actor, key_of_critic = random.split(random.key(3), 3)
    agent = Agent(
        actor=nn.MLP.create(key_of_actor, (4, 32, 2), activation=np.tanh, dtype=np.float64),
        critic=nn.MLP.create(key_of_critic, (4, 32, 1), activation=np.tanh, dtype=np.float64),
    )
    state = optimizer.init(agent)
    started, curve = time.perf_counter(), []
    for k in range(1, arguments.steps + 1):
        agent, state, key, length = step(agent, state, key)
        curve.append(length)
        if k % max(arguments.steps // 10, 1) == 0:
            passed = time.perf_counter() - started
            print(
                f"step {k:4d} of {arguments.steps}   {float(length):5.1f} steps an episode   {passed:5.1f} s",
                flush=True,
            )
    states, steps = balanced(agent, np.array([0.0, 0.0, 0.05, 0.0]), 500)
    print(f"with the likelier push at every step the pole stands for {int(steps)} of 500 steps")
    print(
        f"picture saved in {save_picture([float(n) for n in curve], np.asarray(states)[: int(steps)], arguments.out)}"
    )


if __name__ == "__main__":
    main()
