# SPDX-License-Identifier: MIT
"""What the reports of all benches have in common."""

import importlib.util
import os
import sys


def missing(*modules):
    """Why a method cannot run, or None."""
    for name in modules:
        if importlib.util.find_spec(name) is None:
            return f"{name} is not installed"
    return None


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: rounded(v) for key, v in value.items()}
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return value


def write(folder, stem, texts):
    """Writes each text of {ending: text} to folder/stem.ending."""
    os.makedirs(folder, exist_ok=True)
    for ending, text in texts.items():
        path = os.path.join(folder, f"{stem}.{ending}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"wrote {path}", file=sys.stderr)
