# SPDX-License-Identifier: MIT
"""The programs that time one part of Tacit from memory: kernels, parsers, noise."""

import json
import os
import re
import shutil

import measure

COUNT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common/count.sh")
COUNTED_LEVELS = ("plain", "baseline", "avx2")  # Valgrind knows no AVX-512
COUNTED_KERNELS = ("dense32", "dense64", "sparse32", "sparse64", "dense32-outputs")


def noise_of(text):
    """Nanoseconds per sample, from the table that noise.c prints."""
    pattern = r"^(exact with key|exact, one sample)\s+([\d.]+)"
    return {key: float(value) for key, value in re.findall(pattern, text, re.M)}


def count(function, *argv, **options):
    """Instructions per unit, or None."""
    done = measure.run([COUNT, function, *argv], **options)
    return float(done.out) if done.code == 0 else None


def counts(folder, found):
    """Instructions per row of the kernels, per byte of the parsers and per sample of noise."""
    counted = {}
    if "kernels" in found:
        for level in COUNTED_LEVELS:
            for kernel in COUNTED_KERNELS:
                argv = ("tacit_delta_add", folder / "kernels", "--count", kernel)
                key = f"{kernel} at {level}, a row"
                counted[key] = count(*argv, environment={"TACIT_DISPATCH": level})
    if "parse" in found:
        for line in measure.must([folder / "parse", "--cases"]).out.splitlines():
            name, function = line.split()
            counted[f"{name}, a byte"] = count(function, folder / "parse", "--count", name)
    if "noise" in found:
        argv = ("exact_add", folder / "noise", "--count", "exact")
        counted["noise, a sample"] = count(*argv)
    return {key: value for key, value in counted.items() if value is not None}


def run(folder, quick, levels, skipped):
    """{program: results}, those of kernels and parsers by level; `levels` maps each to its
    environment. Notes which programs are left out."""
    programs = {
        "kernels": (["--json", "--runs", 3 if quick else 41], json.loads),
        "parse": (["--json", "--runs", 3 if quick else 9], json.loads),
        "noise": ([3 if quick else 25], noise_of),
    }
    found = {}
    for name, (arguments, read) in programs.items():
        if not (folder / name).exists():
            skipped.append(f"bench/speed/{name}.c is not in this tree")
            continue
        argv = [folder / name, *arguments]
        if name == "noise":
            found[name] = read(measure.must(argv).out)
            continue
        found[name] = {
            level: read(measure.must(argv, environment=environment).out)
            for level, environment in levels.items()
        }
    if shutil.which("valgrind"):
        found["instructions"] = counts(folder, found)
    else:
        skipped.append("instruction counts: valgrind is missing")
    return found
