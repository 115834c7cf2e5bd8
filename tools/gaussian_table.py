#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes src/vault/gaussian_table.h, to standard output.

The cuts of the unit interval that choose a cell of the half-normal law in
src/vault/gaussian.c (docs/proofs/tacit_noise_exact.md), to 272 bits. The file is committed,
so that a build needs no Python; tests/stats/noise.c checks every bit against MPFR.
"""
from decimal import Decimal, getcontext
import sys

CELL_BITS, FIRST_TAIL, WORDS = 4, 4, 4
WIDTH, CELLS = 1 << CELL_BITS, FIRST_TAIL << CELL_BITS

HEAD = f"""/* SPDX-License-Identifier: MIT */
/* Made by tools/gaussian_table.py: do not edit. Cells of 1/16 on [0, 4): cut c is the
   chance of a cell up to c, to 16 bits (cut_head, closed by a guard) and to 256 more
   (cut_rest). cell_guide[b] counts the heads below 256 b.
   Proof: docs/proofs/tacit_noise_exact.md */
#ifndef TACIT_VAULT_GAUSSIAN_TABLE_H
#define TACIT_VAULT_GAUSSIAN_TABLE_H

#include <stdint.h>

enum {{ CELL_BITS = {CELL_BITS}, CELLS = {CELLS}, CUT_WORDS = {WORDS} }};
"""


def pi():
    """Machin: 16 atan(1/5) - 4 atan(1/239)."""
    def atan_inverse(n):
        total = term = Decimal(1) / n
        k = 1
        while abs(term) > Decimal(10) ** -(getcontext().prec + 5):
            term /= -n * n
            k += 2
            total += term / k
        return total
    return 16 * atan_inverse(5) - 4 * atan_inverse(239)


def integral_to(x):
    """The integral of exp(-t^2/2) from 0 to x: exp(-x^2/2) (x + x^3/3 + x^5/15 + ...)."""
    term = total = Decimal(x)
    k = 1
    while term > Decimal(10) ** -getcontext().prec:
        k += 2
        term *= Decimal(x) * x / k
        total += term
    return total * (-Decimal(x) * x / 2).exp()


def listed(numbers, per_line):
    """An initialiser in columns, as clang-format writes it."""
    width = max(len(number) for number in numbers) + 1
    text = ""
    for i, number in enumerate(numbers):
        last = i + 1 == len(numbers)
        cell = number + ("" if last else ",")
        ends_line = last or i % per_line == per_line - 1
        text += ("\n    " if i % per_line == 0 else "") + (
            cell if ends_line else f"{cell:<{width}} ")
    return "{" + text + "};\n"


def main() -> int:
    getcontext().prec = 130
    weights = [(-(Decimal(c) / WIDTH) ** 2 / 2).exp() for c in range(CELLS)]
    tail = WIDTH * ((pi() / 2).sqrt() - integral_to(FIRST_TAIL))
    whole = sum(weights) + tail
    bits = 16 + 64 * WORDS
    cuts = [int(sum(weights[: c + 1]) / whole * 2**bits) for c in range(CELLS)]

    heads = [cut >> 64 * WORDS for cut in cuts]
    guide = [sum(head < 256 * b for head in heads) for b in range(256)]
    sys.stdout.write(HEAD)
    sys.stdout.write("\nstatic const uint16_t cut_head[CELLS + 1] = ")
    sys.stdout.write(listed([f"0x{head:04x}" for head in heads] + ["0xffff"], 10))
    sys.stdout.write("\nstatic const uint64_t cut_rest[CELLS][CUT_WORDS] = {\n")
    for cut in cuts:
        words = [cut >> 64 * (WORDS - 1 - i) & (1 << 64) - 1 for i in range(WORDS)]
        sys.stdout.write("    {" + ", ".join(f"0x{word:016x}" for word in words) + "},\n")
    sys.stdout.write("};\n\nstatic const uint8_t cell_guide[256] = ")
    sys.stdout.write(listed([str(n) for n in guide], 20))
    sys.stdout.write("\n#endif\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
