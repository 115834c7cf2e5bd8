#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes src/data/text/power_table.h, to standard output.

Powers of ten for the decimal numbers of src/data/text/number.c, from exact integers. The file
is committed, so that a build needs no Python.
"""
import sys

BITS = 128
# The smallest power of ten whose product with a 64-bit integer can be a normal double, and the
# largest that is a finite double.
FIRST = next(q for q in range(-400, 0) if 2**64 * 2**1022 >= 10**-q)
LAST = 308
# 2^16 log2(10), precise enough for these powers: main() checks all of them.
LOG = 217706


def exponent(q):
    """floor(log2(10^q)), by integers."""
    return (10**q).bit_length() - 1 if q >= 0 else -(10**-q - 1).bit_length()

HEAD = f"""/* SPDX-License-Identifier: MIT */
/* Made by tools/power_table.py: do not edit. The first 128 bits of 10^q, cut off, for q
   from POWER_FIRST to POWER_LAST: high word, low word. The first bit is a one; it
   stands for 2^POWER_EXPONENT(q). */
#ifndef TACIT_DATA_TEXT_POWER_TABLE_H
#define TACIT_DATA_TEXT_POWER_TABLE_H

#include <stdint.h>

enum {{ POWER_FIRST = {FIRST}, POWER_LAST = {LAST} }};
#define POWER_EXPONENT(q) (((q) * {LOG} + {-FIRST * 65536 * 4}) / 65536 - {-FIRST * 4})

static const uint64_t power_table[POWER_LAST - POWER_FIRST + 1][2] = {{
"""


def leading_bits(q):
    """floor(10^q 2^s) for the s that makes it a number of 128 bits."""
    if q >= 0:
        power = 10**q
        shift = power.bit_length() - BITS
        return power >> shift if shift >= 0 else power << -shift
    power = 10**-q
    shift = power.bit_length() + BITS - 1
    bits = (1 << shift) // power
    return bits if bits.bit_length() == BITS else (1 << (shift + 1)) // power


def main():
    out = [HEAD]
    for q in range(FIRST, LAST + 1):
        bits = leading_bits(q)
        assert bits.bit_length() == BITS and (q * LOG) >> 16 == exponent(q)
        out.append(f"    {{0x{bits >> 64:016x}, 0x{bits & (2**64 - 1):016x}}},\n")
    out.append("};\n\n#endif\n")
    sys.stdout.write("".join(out))


main()
