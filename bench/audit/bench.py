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

20,000 runs on each of two neighbouring data sets, exact likelihood ratio of all releases; µ ≥ is the lower bound
with limits of 97.5%, µ ≥ (sure) the one with limits of 99.99%, which decides. `anytime` is the preset of 0.1.0.

| plan | records | passes | ε | stated µ | µ ≥ | share | µ ≥ (sure) | AUC | allowed |
|---|---|---|---|---|---|---|---|---|---|
{plans}

The first line as a picture:

![ROC curve of the attacker beside the allowed one](audit.svg)

What is missing to the stated µ: the limits (at ε = 1 a tenth and more of µ), and with centred rows 3% of µ. A canary and its
opposite are the same row with other labels; the mean row of round 0, which takes 4% of µ², and the squared slopes cannot
tell them apart.

## One record left out

`--adjacency zero-out`, ε = 8, one pass or more. Here the canary uses up the whole bound, and the area under the
curve comes to what is allowed, Φ(µ/√2).

| plan | AUC | allowed | µ ≥ | stated µ |
|---|---|---|---|---|
{zero}

## Planted bugs

`make audit-faults` builds the program with a privacy bug and audits it. Without a bug the same audits find nothing.

| bug | stated µ | found |
|---|---|---|
| half the noise | 1.53 | likelihood ratio: µ ≥ {half} |
| contributions not clipped | 0.21 | likelihood ratio: µ ≥ {clip} |
| the order of the rows is public | 0.24 | order of another run: µ ≥ {order} |

## Other programs

As black boxes: the weight of one feature in the model, nothing else is seen. A bound below the claim is what one
expects; it does not say that the guarantee is loose for an attacker who sees more.

| program | claim | runs | µ claimed | µ ≥ | AUC | allowed |
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
ZERO = {"logistic_zero": ("practical: centred, matrix, bettor", ["--preset", "practical"]),
        "hinge_zero": ("practical, hinge loss: centred, matrix, heavy ball", ["--preset", "practical", "--loss", "hinge"]),
        "matrix_zero": ("anytime, matrix, 4 passes", ["--preset", "anytime", "--mechanism", "matrix", "--passes", "4"])}
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
}


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
        report = self.audit(name, ["--epsilon", "8", "--rows", str(FEW), "--adjacency", "zero-out", *options])
        attack = report["attacks"][0]
        return (f"| {what} | {attack['auc']:.4f} | {report['auc_allowed']:.4f} | {attack['mu_low']:.4f} | "
                f"{report['mu']:.4f} |")

    def box_line(self, name, python, what, claim, options, script):
        report = self.audit(name, [*options, "--command", f"{python} {HERE}/{script}"])
        attack = report["attacks"][0]
        found = f"{attack['mu_low']:.4f}" + ("" if report["holds"] else ": **does not hold**")
        return (f"| {what} | {claim} | 2 × {attack['runs']} | {report['mu']:.4f} | {found} | {attack['auc']:.4f} | "
                f"{report['auc_allowed']:.4f} |")


def faults():
    """The bounds that `make audit-faults` printed, if FAULTS in the environment names its output."""
    text = pathlib.Path(os.environ["FAULTS"]).read_text(encoding="utf-8") if "FAULTS" in os.environ else ""
    found = {}
    for key, bug, attack in (("half", "scale-of-half", "likelihood-ratio"), ("clip", "clip-not", "likelihood-ratio"),
                             ("order", "order-public", "order-of-another-run")):
        lines = [line for line in text.splitlines() if bug in line]
        found[key] = lines[0].split(f"{attack} mu >= ")[1].split(",")[0].split(" ")[0] if lines else "(not run)"
    return found


def main():
    program, out = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(program), sys.argv[3] if len(sys.argv) > 3 else folder)
        plans = [bench.plan_line(name, options) for name, options in PLANS.items()]
        zero = [bench.zero_line(name, *rest) for name, rest in ZERO.items()]
        boxes, missing = [], []
        for name, (variable, what, *rest) in BOXES.items():
            if os.environ.get(variable):
                boxes.append(bench.box_line(name, os.environ[variable], what, *rest))
            elif what not in missing:
                missing.append(what)
        notes = f"Not measured here: {'; '.join(missing)}." if missing else ""
        figure = (bench.keep / f"{next(iter(PLANS))}.svg").read_text(encoding="utf-8")
        write(out, "audit", {"md": PAGE.format(plans="\n".join(plans), zero="\n".join(zero), boxes="\n".join(boxes),
                                               notes=notes, **faults()).rstrip() + "\n",
                             "svg": figure})


if __name__ == "__main__":
    main()
