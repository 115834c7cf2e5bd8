#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes src/data/text/place_table.h, to standard output.

The places of the bits of every byte, for src/data/text/simd_stops.h. The file is committed, so
that a build needs no Python.
"""
import sys

HEAD = """/* SPDX-License-Identifier: MIT */
/* Made by tools/place_table.py: do not edit. Entry i has the places of the bits of i,
   one in each byte, the first in the lowest; bytes after the last are 0. */
#ifndef TACIT_DATA_TEXT_PLACE_TABLE_H
#define TACIT_DATA_TEXT_PLACE_TABLE_H

#include <stdint.h>

static const uint64_t tacit_place_table[256] = {
"""
TAIL = """};

#endif
"""


def places(byte):
    """The places as one number."""
    found = [place for place in range(8) if byte >> place & 1]
    return sum(place << 8 * i for i, place in enumerate(found))


def main():
    sys.stdout.write(HEAD)
    for first in range(0, 256, 4):
        words = [f"0x{places(byte):016x}," for byte in range(first, first + 4)]
        sys.stdout.write("    " + " ".join(words) + "\n")
    sys.stdout.write(TAIL)


if __name__ == "__main__":
    main()
