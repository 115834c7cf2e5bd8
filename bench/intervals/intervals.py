#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Coverage and width of the intervals of `tacit infer` on made-up tables (designs.py).

intervals.py --out build/intervals [--runs N] [--only NAME…] runs designs. The library of the program
makes each table from columns in memory, through the Python package; --tacit PROGRAM makes it from a
file by the program, to the same bytes. Every design goes on where its file ends, so a break costs one
run."""
import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np
from scipy import stats

import designs


def classical(drawn, loss):
    """Estimates and robust standard errors without privacy; persons are clusters, as in the table."""
    x = np.column_stack([np.ones(len(drawn.y)), drawn.matrix])
    y = np.asarray(drawn.y, float)
    w = np.ones(len(y)) if drawn.weights is None else drawn.weights
    if drawn.ids is not None:
        w = w / np.bincount(drawn.ids)[drawn.ids]
    b = np.zeros(x.shape[1])
    if loss == "poisson":
        b[0] = np.log(y.mean())
    for _ in range(1 if loss == "squared" else 25):
        eta = x @ b
        mean = {"squared": eta, "poisson": np.exp(np.clip(eta, -30, 30)), "logistic": 1 / (1 + np.exp(-eta))}[loss]
        rise = {"squared": np.ones(len(y)), "poisson": mean, "logistic": mean * (1 - mean)}[loss]
        h = (x * (w * rise)[:, None]).T @ x
        b = b + np.linalg.solve(h, x.T @ (w * (y - mean)))
    g = x * (w * (y - (x @ b if loss == "squared" else mean)))[:, None]
    if drawn.ids is not None:
        g = np.stack([np.bincount(drawn.ids, g[:, j]) for j in range(g.shape[1])], 1)
    inverse = np.linalg.inv(h)
    return b[1:], np.sqrt(np.diag(inverse @ g.T @ g @ inverse))[1:]


def columns_of(drawn):
    table = {entry["name"]: values for entry, values in drawn.columns}
    schema = {"tacit_schema": 2, "columns": [entry for entry, _ in drawn.columns], "label": drawn.label}
    table["y"] = drawn.y.astype(str) if "classes" in drawn.label else drawn.y
    if drawn.ids is not None:
        table["id"], schema["unit"] = drawn.ids, "id"
    if drawn.weights is not None:
        table["w"], schema["weight"] = drawn.weights, {"column": "w", "max": 1}
    return table, schema


def write(drawn, folder):
    table, schema = columns_of(drawn)
    import pandas
    pandas.DataFrame(table).to_csv(folder / "d.csv", index=False, float_format="%.9g")
    (folder / "s.json").write_text(json.dumps(schema))


def by_program(tacit, drawn, loss, n, epsilon, seed, options, folder):
    write(drawn, folder)
    command = [tacit, "infer", folder / "d.csv", "--schema", folder / "s.json", "--epsilon", str(epsilon),
               "--seed", str(seed), "--loss", loss, "--json", "--delta", str(1 / n**2)]
    for key, value in options.items():
        command += [f"--{key}", value]
    return json.loads(subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True).stdout)


def in_memory(drawn, loss, n, epsilon, seed, options):
    import tacit
    table, schema = columns_of(drawn)
    return tacit.infer(table, tacit.Schema.from_json(schema), epsilon, loss=loss, delta=1 / n**2,
                       random_state=int(seed), **options).table()


def run(tacit, name, seed, folder):
    """One run: a line per coefficient of (name, truth, low, high, width over the classical one, p at the truth)."""
    draw, loss, n, epsilon, options = {**designs.OWN, **designs.REQUIRED}[name]
    rng = np.random.default_rng([seed, *name.encode()])
    drawn = draw(rng, n)
    seed = rng.integers(2**62)
    found = (by_program(tacit, drawn, loss, n, epsilon, seed, options, folder) if tacit else
             in_memory(drawn, loss, n, epsilon, seed, options))
    _, errors = classical(drawn, loss)
    errors = dict(zip(drawn.truth, errors))
    lines, reference = [], {}
    table = found["coefficients"]
    for line in table:  # the truth of levels is relative to whichever level is the reference
        if line["state"] == "reference":
            reference[line["name"].split("=")[0]] = drawn.truth.get(line["name"], 0)
    for line in table:
        if line["name"] not in drawn.truth or line["state"] == "reference":
            continue
        truth = drawn.truth[line["name"]] - reference.get(line["name"].split("=")[0], 0) * ("=" in line["name"])
        out = {"name": line["name"], "identified": line["state"] == "identified"}
        if out["identified"]:
            se = errors.get(line["name"]) or np.nan
            out.update(hit=bool(line["low"] <= truth <= line["high"]),
                       width=(line["high"] - line["low"]) / (2 * 1.96 * se),
                       p=float(2 * stats.t.sf(abs(line["estimate"] - truth) / line["se"], line["df"])),
                       error=line["estimate"] - truth,
                       **{key: line[key] for key in ("se", "se_sampling", "se_privacy", "df")})
        lines.append(out)
    return lines


def summary(runs):
    all_lines = [line for lines in runs for line in lines]
    good = [line for line in all_lines if line["identified"]]
    worst = {}
    for line in good:
        worst.setdefault(line["name"], []).append(line["hit"])
    cover = np.mean([line["hit"] for line in good]) if good else np.nan
    widths = [line["width"] for line in good if np.isfinite(line["width"])]
    return {"runs": len(runs), "identified": len(good) / max(len(all_lines), 1), "coverage": float(cover),
            "error": float(np.sqrt(0.95 * 0.05 / max(len(good), 1))),
            "least": min((float(np.mean(v)) for v in worst.values() if len(v) > 20), default=np.nan),
            "width": float(np.median(widths)) if widths else np.nan, "n": len(good),
            "below_05": sum(line["p"] < 0.05 for line in good), "below_001": sum(line["p"] < 0.001 for line in good)}


def kept_name(name):
    return name.replace(" ", "_").replace("%", "").replace(":", "") + ".jsonl"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tacit")
    parser.add_argument("--out", default="build/intervals")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--only", nargs="*")
    arguments = parser.parse_args()
    out = pathlib.Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    results = {}
    for name in arguments.only or [*designs.OWN, *designs.REQUIRED]:
        kept = out / kept_name(name)
        runs = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
        with tempfile.TemporaryDirectory() as folder, kept.open("a") as file:
            for seed in range(len(runs), arguments.runs):
                runs.append(run(arguments.tacit, name, seed, pathlib.Path(folder)))
                file.write(json.dumps(runs[-1]) + "\n")
                file.flush()
        results[name] = summary(runs)
        print(name, json.dumps(results[name]), flush=True)
    (out / "summary.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
