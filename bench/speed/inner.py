# SPDX-License-Identifier: MIT
"""The programs that time one part of Tacit from memory: kernels, parsers, noise."""

import json
import re

import measure


def as_object(text):
    """The JSON object of a program, or None."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def noise_of(text):
    """Nanoseconds a sample, out of the table that noise.c prints."""
    found = dict(re.findall(r"^(exact with key, \d+ bytes|exact, one sample)\s+([\d.]+)", text, re.M))
    return {key: float(value) for key, value in found.items()} or None


def run(folder, quick, skipped):
    """{program: what it found}; one that is not built or fails is said to be left out."""
    programs = {
        "kernels": (["--json"], as_object),
        "parse": (["--json"], as_object),
        "noise": ([3 if quick else 25], noise_of),
    }
    found = {}
    for name, (arguments, read) in programs.items():
        if not (folder / name).exists():
            skipped.append(f"bench/speed/{name}.c is not in this tree")
            continue
        done = measure.run([folder / name, *arguments])
        value = read(done.out) if done.code == 0 else None
        if value is None:
            skipped.append(f"bench/speed/{name}.c failed: {done.err.strip()[:200]}")
        else:
            found[name] = value
    return found
