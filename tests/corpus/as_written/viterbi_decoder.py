"""A convolutional code over a noisy channel: encoder, puncturing, soft Viterbi decoding, CRC check, bit error rates."""
import numpy as np

GENERATORS = (0b111, 0b101)
MEMORY = 2
CRC_POLY = 0b10011


def parity(x):
    return bin(x).count("1") % 2


def popcount_parity(x):
    p = 0
    while x:
        p ^= x & 1
        x >>= 1
    return p


def encode(bits, state=0):
    out = []
    for bit in bits:
        register = (int(bit) << MEMORY) | state
        out.extend(popcount_parity(register & g) for g in GENERATORS)
        state = register >> 1
    return out, state


def crc(bits):
    value = 0
    for bit in [*bits, 0, 0, 0, 0]:
        value = (value << 1) | int(bit)
        if value & 0b10000:
            value ^= CRC_POLY
    return value


def transitions():
    """For every state and input: the next state and the two output bits as signs."""
    table = {}
    for state in range(1 << MEMORY):
        for bit in (0, 1):
            register = (bit << MEMORY) | state
            signs = tuple(1.0 - 2.0 * popcount_parity(register & g) for g in GENERATORS)
            table[state, bit] = (register >> 1, signs)
    return table


def viterbi(soft, table):
    """The most likely input of soft values, two per step; ends in state 0."""
    n_states = 1 << MEMORY
    steps = len(soft) // 2
    metric = np.full(n_states, -np.inf)
    metric[0] = 0.0
    came_from = np.zeros((steps, n_states), dtype=np.int64)
    inputs = np.zeros((steps, n_states), dtype=np.int64)
    for t in range(steps):
        pair = soft[2 * t:2 * t + 2]
        new = np.full(n_states, -np.inf)
        for (state, bit), (following, signs) in table.items():
            score = metric[state] + pair[0] * signs[0] + pair[1] * signs[1]
            if score > new[following]:
                new[following] = score
                came_from[t, following] = state
                inputs[t, following] = bit
        metric = new
    state, decoded = 0, []
    for t in reversed(range(steps)):
        decoded.append(inputs[t, state])
        state = came_from[t, state]
    return decoded[::-1], metric[0]


def depuncture(received, pattern):
    """Zeros where nothing was sent."""
    full = []
    k = 0
    while k < len(received):
        for keep in pattern:
            if keep and k < len(received):
                full.append(received[k])
                k += 1
            else:
                full.append(0.0)
    return np.array(full[:len(full) // 2 * 2])


def run_link(bits, noise, snr, pattern=(1, 1)):
    """Encode, send, decode; the number of wrong bits, whether the CRC notices, and the path metric."""
    bits = np.asarray(bits)
    if not np.isin(bits, [0, 1]).all():
        raise ValueError(f"not bits: {bits[~np.isin(bits, [0, 1])]}")
    check = crc(bits)
    tail = [(check >> k) & 1 for k in (3, 2, 1, 0)]
    message = [int(b) for b in bits] + tail
    coded, state = encode(message + [0] * MEMORY)
    assert state == 0, "the tail must bring the encoder home"
    sent = [1.0 - 2.0 * c for k, c in enumerate(coded) if pattern[k % len(pattern)]]
    if len(noise) < len(sent):
        raise ValueError(f"{len(noise)} noise samples for {len(sent)} symbols")
    received = snr * np.array(sent) + noise[:len(sent)]
    soft = depuncture(received, pattern)
    decoded, metric = viterbi(soft, transitions())
    decoded = np.array(decoded[:len(message)])
    wrong = int(np.sum(decoded[:len(bits)] != bits))
    ok = crc(decoded[:len(bits)]) == int("".join(map(str, decoded[len(bits):])) or "0", 2)
    return {"errors": wrong, "rate": wrong / len(bits), "crc_ok": ok, "metric": metric,
            "uncoded": np.mean((received < 0) != (np.array(sent) < 0))}


ENTRY = "run_link"


def make_arguments(rng, n):
    bits = rng.integers(0, 2, size=2 * n + 4)
    return bits, rng.normal(size=8 * n + 60), 0.9, (1, 1, 1, 0)


GRADIENT = ("noise",)
ERRORS = [(lambda rng, n: (np.array([0, 1, 2]), np.zeros(60), 1.0), ValueError),
          (lambda rng, n: (np.array([0, 1, 1]), np.zeros(3), 1.0), ValueError)]
