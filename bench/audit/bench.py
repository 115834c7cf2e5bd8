# SPDX-License-Identifier: MIT
"""Audits of Tacit and of other programs: bench.py PROGRAM OUT [KEEP] writes OUT/audit.md and OUT/audit.svg.

KEEP is a folder for the reports of single audits: what is there is not run again. OPACUS and DIFFPRIVLIB in the
environment are Python programs that can import these libraries; without one its rows are left out.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from results import write  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
FEW, MANY = 100, 320  # enough for the preset's recipe at epsilon 8 and 1

PAGE = """# Audits

Made by `make bench-audit`. [How to read it, and how to audit your own plan or program](../howto/audit.md).

## The default plan

20,000 runs on each of two neighbouring data sets, exact likelihood ratio of all releases, threshold 0; µ ≥ is the lower bound
with limits of 97.5%, µ ≥ (sure) the one with limits of 99.99%, which decides. `anytime` is the preset of 0.1.0.

| plan | records | passes | ε | stated µ | µ ≥ | share | µ ≥ (sure) | AUC | allowed |
|---|---|---|---|---|---|---|---|---|---|
{plans}

The first line as a picture:

![ROC curve of the attacker beside the allowed one](audit.svg)

What is missing to the stated µ: the limits (at ε = 1 a seventh of µ), and with centred rows 3% of µ, which no two
records make up for. A canary and its opposite are the same row with other labels. Round 0, which has 4% of µ²,
releases the sum of rows and labels, where the two differ in the label alone; the squared slopes, 1% of µ², are the
same for both. What is left is √(0.96/1.01 + 0.04 · 0.09/4.36) µ = 0.975 µ. An opposite row moves round 0 by more and
the constant beside the centred row by nothing, which makes 0.953 µ.

## One record left out

`--adjacency zero-out`, ε = 8, one pass or more. Here the canary uses up the whole bound, and the area under the
curve comes to what is allowed, Φ(µ/√2). "Distance" is what the canary moves all releases by, computed without noise. Of a
centred run it is a little less than µ: rows less the mean m are cut to the radius 0.95 √(1 − |m|²), and the constant
beside them is cut along. A row of norm 1 is not cut if |m| ≥ 0.0513 in its direction, and shorter than the radius if
|m| is larger. One record in twenty therefore lies in the direction of the canary; without them the distance is
0.996 µ. With 4,000 rows it is 1.000 µ; with 400 the noise of the mean leaves 0.999 µ.

| plan | AUC | standard error | allowed | distance | µ ≥ | stated µ |
|---|---|---|---|---|---|---|
{zero}

## Evaluations and descriptions

`--release eval` and `--release describe`, 20,000 runs each way, two classes; the columns of the description are two
numbers and a category. The canary uses up the whole µ.

| release | records | ε | stated µ | µ ≥ | share | µ ≥ (sure) | AUC | allowed |
|---|---|---|---|---|---|---|---|---|
{releases}

## Planted bugs

`make audit-faults` builds the program with a privacy bug and audits it. Without a bug the same audits find nothing.

| bug | stated µ | found |
|---|---|---|
| half the noise | 1.53 | likelihood ratio: µ ≥ {half} |
| contributions not clipped | 0.21 | likelihood ratio: µ ≥ {clip} |
| the order of the rows is public | 0.24 | order of another run: µ ≥ {order} |
| half the noise, evaluation | 1.53 | likelihood ratio: µ ≥ {half_eval} |
| half the noise, description of persons | 1.53 | likelihood ratio: µ ≥ {half_describe} |
| the root of 2 left out for replace, evaluation | 1.53 | likelihood ratio: µ ≥ {root_eval} |
| the root of 2 left out for replace, description | 1.53 | likelihood ratio: µ ≥ {root_describe} |
| every part of an evaluation has the whole budget | 1.53 | likelihood ratio: µ ≥ {whole} |
| every row of a person counts as a person, evaluation | 1.53 | likelihood ratio: µ ≥ {persons} |

## Other programs

As black boxes: the numbers of the model, nothing else is seen. ε ≥ has limits of 97.5%, ε ≥ (sure) of 99.99%, and decides.
A bound below the claim is what one expects; it does not say that the guarantee is loose for an attacker who sees more.

| program | claim | runs | ε claimed | ε ≥ | ε ≥ (sure) | AUC |
|---|---|---|---|---|---|---|
{boxes}

{notes}
"""

# name: options of a plan
PLANS = {f"practical_e{epsilon}_p{passes}_{unit}": ["--epsilon", str(epsilon), "--preset", "practical", "--passes",
                                                    str(passes), f"--{unit}", str(FEW if epsilon == 8 else MANY)]
         for epsilon in (8, 1) for passes in (4, 1) for unit in ("rows", "units")}
PLANS |= {"anytime_rows": ["--epsilon", "8", "--rows", str(FEW), "--preset", "anytime"],
          "anytime_persons": ["--epsilon", "8", "--rows", str(FEW), "--preset", "anytime", "--units", str(FEW)]}
CENTRED = ["--rows", "400", "--passes", "1", "--trials", "80000", "--preset", "practical"]
ZERO = {"logistic_zero": ("practical: centred, matrix, bettor", CENTRED),
        "hinge_zero": ("practical, hinge loss: centred, matrix, heavy ball", [*CENTRED, "--loss", "hinge"]),
        "matrix_zero": ("anytime, matrix, 4 passes", ["--rows", str(FEW), "--preset", "anytime", "--mechanism", "matrix",
                                                      "--passes", "4", "--trials", "80000"])}
SCHEMA = {"tacit_schema": 2, "label": {"column": "outcome", "classes": ["well", "ill"]},
          "columns": [{"name": "age", "type": "numeric", "min": 0, "max": 100},
                      {"name": "weight", "type": "numeric", "min": 30, "max": 150},
                      {"name": "ward", "type": "category", "values": ["a", "b", "c"]}]}
RELEASES = {f"{release}_{unit}": (release, unit) for release in ("eval", "describe") for unit in ("rows", "units")}
BOXES = {
    "opacus": ("OPACUS", "Opacus, DP-SGD, 4 epochs", "ε = 8, δ = 1e-5, add or remove",
               ["--adjacency", "zero-out", "--epsilon", "8", "--delta", "1e-5", "--trials", "400", "--runs", "100"],
               "opacus_model.py {data} {out} {runs} 8 1e-5"),
    "diffprivlib": ("DIFFPRIVLIB", "diffprivlib, logistic regression, 20 rows", "ε = 1, δ = 0, replace",
                    ["--epsilon", "1", "--delta", "0", "--trials", "2000", "--runs", "200", "--rows", "20"],
                    "diffprivlib_model.py {data} {out} {runs} 1"),
    "diffprivlib_8": ("DIFFPRIVLIB", "diffprivlib, logistic regression, 20 rows", "ε = 8, δ = 0, replace",
                      ["--epsilon", "8", "--delta", "0", "--trials", "2000", "--runs", "200", "--rows", "20"],
                      "diffprivlib_model.py {data} {out} {runs} 8"),
    "diffprivlib_linear": ("DIFFPRIVLIB", "diffprivlib, linear regression, x and y in [0, 1]", "ε = 1, δ = 0, replace",
                           ["--epsilon", "1", "--delta", "0", "--trials", "2000", "--runs", "1000", "--features", "1",
                            "--ranges", "0,1"],
                           "diffprivlib_linear.py {data} {out} {runs} 1"),
}


def error_of(attack):
    """The standard error of the area under the curve, by Hanley and McNeil's formula."""
    auc, runs = attack["auc"], attack["runs"]
    first, second = auc / (2 - auc) - auc**2, 2 * auc**2 / (1 + auc) - auc**2
    return ((auc * (1 - auc) + (runs - 1) * (first + second)) / runs**2) ** 0.5


class Bench:
    def __init__(self, program, keep):
        self.program, self.keep = program, pathlib.Path(keep)

    def audit(self, name, options):
        """The report, kept or made now."""
        report, figure = self.keep / f"{name}.json", self.keep / f"{name}.svg"
        if not report.is_file() or report.stat().st_size == 0:
            done = subprocess.run([self.program, "audit", "-q", "--json", "--svg", str(figure), *options],
                                  capture_output=True, text=True, check=False)
            if done.returncode not in (0, 5):
                raise SystemExit(f"{name}: {done.stderr}")
            report.write_text(done.stdout, encoding="utf-8")
        return json.loads(report.read_text(encoding="utf-8"))

    def plan_line(self, name, options):
        report = self.audit(name, options)
        attack, mu = report["attacks"][0], report["mu"]
        if not report["holds"]:
            raise SystemExit(f"{name}: the guarantee does not hold")
        plan = report["plan"]
        records = f"{plan['units']} persons" if "units" in plan else f"{plan['rows']} rows"
        return (f"| {options[options.index('--preset') + 1]} | {records} | {plan['passes']} | "
                f"{options[1]} | {mu:.4f} | {attack['mu_low']:.4f} | {attack['mu_low'] / mu:.0%} | "
                f"{attack['mu_sure']:.4f} | {attack['auc']:.4f} | {report['auc_allowed']:.4f} |")

    def zero_line(self, name, what, options):
        report = self.audit(name, ["--epsilon", "8", "--adjacency", "zero-out", *options])
        attack = report["attacks"][0]
        return (f"| {what} | {attack['auc']:.4f} | {error_of(attack):.4f} | {report['auc_allowed']:.4f} | "
                f"{report['reach']:.4f} | {attack['mu_low']:.4f} | {report['mu']:.4f} |")

    def release_line(self, name, release, unit):
        schema = self.keep / "schema.json"
        schema.write_text(json.dumps(SCHEMA), encoding="utf-8")
        of_columns = ["--schema", str(schema)] if release == "describe" else []
        report = self.audit(name, ["--release", release, "--epsilon", "8", f"--{unit}", str(FEW), *of_columns])
        attack, mu = report["attacks"][0], report["mu"]
        if not report["holds"]:
            raise SystemExit(f"{name}: the guarantee does not hold")
        return (f"| {release} | {FEW} {'persons' if unit == 'units' else unit} | 8 | {mu:.4f} | "
                f"{attack['mu_low']:.4f} | {attack['mu_low'] / mu:.0%} | {attack['mu_sure']:.4f} | "
                f"{attack['auc']:.4f} | {report['auc_allowed']:.4f} |")

    def box_line(self, name, python, what, claim, options, script):
        report = self.audit(name, [*options, "--command", f"{python} {HERE}/{script}"])
        attack = report["attacks"][0]
        found = f"{attack['epsilon_sure']:.4f}" + ("" if report["holds"] else ": **does not hold**")
        return (f"| {what} | {claim} | 2 × {attack['runs']} | {report['epsilon']:g} | {attack['epsilon_low']:.4f} | "
                f"{found} | {attack['auc']:.4f} |")


def faults():
    """The bounds that `make audit-faults` printed, if FAULTS in the environment names its output."""
    text = pathlib.Path(os.environ["FAULTS"]).read_text(encoding="utf-8") if "FAULTS" in os.environ else ""
    found = {}
    for key, bug, attack in (
            ("half", "scale-of-half-the-bound (--trials 1000", "likelihood-ratio"),
            ("clip", "clip-not", "likelihood-ratio"), ("order", "order-public", "order-of-another-run"),
            ("half_eval", "scale-of-half-the-bound (--trials 2000 --epsilon 8 --release eval", "likelihood-ratio"),
            ("half_describe", "scale-of-half-the-bound (--trials 2000 --epsilon 8 --release describe", "likelihood-ratio"),
            ("root_eval", "counts-one-for-all (--trials 4000 --epsilon 8 --release eval", "likelihood-ratio"),
            ("root_describe", "counts-one-for-all (--trials 4000 --epsilon 8 --release describe", "likelihood-ratio"),
            ("whole", "tally-not-divided", "likelihood-ratio"), ("persons", "tally-forgets-persons", "likelihood-ratio")):
        lines = [line for line in text.splitlines() if bug in line and f"{attack} mu >= " in line]
        found[key] = lines[0].split(f"{attack} mu >= ")[1].split(",")[0].split(" ")[0] if lines else "(not run)"
    return found


def main():
    program, out = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(program), sys.argv[3] if len(sys.argv) > 3 else folder)
        plans = [bench.plan_line(name, options) for name, options in PLANS.items()]
        zero = [bench.zero_line(name, *rest) for name, rest in ZERO.items()]
        releases = [bench.release_line(name, *rest) for name, rest in RELEASES.items()]
        boxes, missing = [], []
        for name, (variable, what, *rest) in BOXES.items():
            if os.environ.get(variable):
                boxes.append(bench.box_line(name, os.environ[variable], what, *rest))
            elif what not in missing:
                missing.append(what)
        notes = f"Not measured here: {'; '.join(missing)}." if missing else ""
        figure = (bench.keep / f"{next(iter(PLANS))}.svg").read_text(encoding="utf-8")
        write(out, "audit", {"md": PAGE.format(plans="\n".join(plans), zero="\n".join(zero),
                                               releases="\n".join(releases), boxes="\n".join(boxes),
                                               notes=notes, **faults()).rstrip() + "\n",
                             "svg": figure})


if __name__ == "__main__":
    main()
