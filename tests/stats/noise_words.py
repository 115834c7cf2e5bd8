#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the first noise word of one block, from the layout in docs/design.md.

Written apart from src/vault/key.c: tests/stats/noise.c compares the two. Standard
library only.
"""
from hashlib import blake2b
from struct import pack, unpack

SEED, ROUND, BLOCK, SCALE, CHUNK = 5, 3, 7, 77, 256
CONTENT = [(i - 100) << 58 for i in range(CHUNK + 5)]
WORD, WIDE = (1 << 64) - 1, (1 << 128) - 1


def quarter(s, a, b, c, d):
    for x, y, z, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        s[x] = (s[x] + s[y]) & 0xFFFFFFFF
        s[z] ^= s[x]
        s[z] = (s[z] << turn | s[z] >> (32 - turn)) & 0xFFFFFFFF


def words(key, count):
    """The first words of the ChaCha20 stream: nonce 0, counter from 0."""
    stream = b""
    for counter in range((count + 7) // 8):
        start = [*unpack("<4I", b"expand 32-byte k"), *unpack("<8I", key), counter, 0, 0, 0]
        s = list(start)
        for _ in range(10):
            for i in range(4):
                quarter(s, i, 4 + i, 8 + i, 12 + i)
            for i in range(4):
                quarter(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
        stream += pack("<16I", *((a + b) & 0xFFFFFFFF for a, b in zip(s, start)))
    return unpack(f"<{count}Q", stream[:8 * count])


def digest(chunk, pads):
    total = 0
    for i, value in enumerate(chunk):
        low, high = value & WORD, value >> 64 & WORD
        total += ((low + pads[2 * i]) & WORD) * ((high + pads[2 * i + 1]) & WORD)
    return (total & WIDE).to_bytes(16, "little")


def main():
    run_key = blake2b(pack("<Q", SEED), digest_size=32, person=b"tacit-seed-1").digest()
    pads_key = blake2b(b"", digest_size=32, key=run_key, person=b"tacit-pads-2").digest()
    pads = words(pads_key, 4 * CHUNK)
    message = pack("<4Q", ROUND, BLOCK, len(CONTENT), SCALE)
    for i in range(0, len(CONTENT), CHUNK):
        chunk = CONTENT[i:i + CHUNK]
        message += digest(chunk, pads[:2 * CHUNK]) + digest(chunk, pads[2 * CHUNK:])
    key = blake2b(message, digest_size=32, key=run_key, person=b"tacit-noise-3").digest()
    print(f"{words(key, 1)[0]:#018x}")


if __name__ == "__main__":
    main()
