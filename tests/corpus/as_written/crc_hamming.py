"""A telemetry link: CRC-16, Hamming(7,4) forward error correction, interleaving, byte stuffing and a noisy channel.

HDLC framing (0x7E flag, 0x7D escape); CCITT polynomial 0x1021.
"""
import numpy as np

FLAG, ESCAPE = 0x7E, 0x7D
G = [0b1101, 0b1011, 0b1000, 0b0111, 0b0100, 0b0010, 0b0001]
SYNDROME_TO_BIT = {0b000: None, 0b001: 0, 0b010: 1, 0b011: 2, 0b100: 3, 0b101: 4, 0b110: 5, 0b111: 6}


def crc16(data, poly=0x1021, init=0xFFFF):
    crc = init
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            if crc & 0x8000:
                crc = ((crc << 1) ^ poly) & 0xFFFF
            else:
                crc = (crc << 1) & 0xFFFF
    return crc


def parity(x):
    return bin(x).count("1") % 2


def encode_nibble(nibble):
    code = 0
    for row in G:
        code = (code << 1) | parity(row & nibble)
    return code


def decode_block(code):
    """The nibble and whether a bit was corrected."""
    bits = [(code >> (6 - k)) & 1 for k in range(7)]
    s = 0
    for p in range(3):
        check = 0
        for position in range(1, 8):
            if position & (1 << p):
                check ^= bits[position - 1]
        s |= check << p
    wrong = SYNDROME_TO_BIT[s]
    if wrong is not None:
        bits[wrong] ^= 1
    d1, d2, d3, d4 = bits[2], bits[4], bits[5], bits[6]
    return (d1 << 3) | (d2 << 2) | (d3 << 1) | d4, wrong is not None


def stuff(payload):
    out = bytearray([FLAG])
    for b in payload:
        if b in (FLAG, ESCAPE):
            out += bytes([ESCAPE, b ^ 0x20])
        else:
            out.append(b)
    out.append(FLAG)
    return out


def unstuff(frame):
    if frame[0] != FLAG or frame[-1] != FLAG:
        raise ValueError("frame has no flags")
    data, escaped = [], False
    for b in frame[1:-1]:
        if b == ESCAPE:
            escaped = True
        elif escaped:
            data.append(b ^ 0x20)
            escaped = False
        else:
            data.append(b)
    return data


def interleave(bits, depth):
    rows = -(-len(bits) // depth)
    padded = bits + [0] * (rows * depth - len(bits))
    return [padded[r * depth + c] for c in range(depth) for r in range(rows)]


def deinterleave(bits, depth, count):
    rows = len(bits) // depth
    return [bits[c * rows + r] for r in range(rows) for c in range(depth)][:count]


def link(message, flips, depth=7):
    """What arrives of a message: the text, number of corrected blocks, both checksums, the overhead."""
    body = list(message)
    check = crc16(body)
    packet = unstuff(stuff(body + [check >> 8, check & 0xFF]))
    codes = []
    for b in packet:
        codes += [encode_nibble(b >> 4), encode_nibble(b & 0xF)]
    bits = [(c >> (6 - k)) & 1 for c in codes for k in range(7)]
    sent = np.array(interleave(bits, depth))
    noisy = sent.copy()
    for position in flips:
        noisy[position % len(noisy)] ^= 1
    received = deinterleave(noisy.tolist(), depth, len(bits))
    nibbles, fixed = [], 0
    for k in range(0, len(received), 7):
        code = 0
        for bit in received[k : k + 7]:
            code = code << 1 | bit
        nibble, corrected = decode_block(code)
        nibbles.append(nibble)
        fixed += corrected
    arrived = [hi << 4 | lo for hi, lo in zip(nibbles[::2], nibbles[1::2])]
    data, tail = arrived[:-2], arrived[-2:]
    ok = crc16(data) == (tail[0] << 8 | tail[1])
    return "".join(chr(b) for b in data), fixed, ok, check, len(sent) / (8 * len(body))


ENTRY = "link"


def make_arguments(rng, n):
    return bytes(rng.integers(32, 127, size=n).astype(np.uint8)), rng.integers(0, 100, size=2)


GRADIENT = ()
ERRORS = [(lambda rng, n: (b"", np.array([1])), ZeroDivisionError)]
