# SPDX-License-Identifier: MIT
"""Made-up tables for intervals.py. A design draws columns, a label and the true coefficients.

draw(rng, n) returns a Drawn: `columns` are (entry of the schema, values), `y` the label, `truth` the
coefficients per unit by the name that tacit gives them, `matrix` the same columns as the classical
estimator takes them (no intercept, names in the order of `truth`)."""
import dataclasses

import numpy as np


@dataclasses.dataclass
class Drawn:
    columns: list
    y: np.ndarray
    truth: dict
    matrix: np.ndarray
    label: dict
    ids: np.ndarray = None
    weights: np.ndarray = None


def number(name, values, low, high, **more):
    return {"name": name, "type": "numeric", "min": low, "max": high, **more}, values


def category(name, values, levels):
    return {"name": name, "type": "category", "values": levels}, np.asarray(levels)[values]


def normal(rng, n, p, rho=0.0):
    """Columns with autoregressive correlation rho."""
    z = rng.normal(size=(n, p))
    for j in range(1, p):
        z[:, j] = rho * z[:, j - 1] + np.sqrt(1 - rho * rho) * z[:, j]
    return z


def effects(p):
    """Alternating effects that fall from 1 to 0.2; the last one is 0."""
    b = np.where(np.arange(p) % 2 == 0, 1, -1) * np.linspace(1, 0.2, p) / np.sqrt(p / 3 + 1)
    if p > 2:
        b[-1] = 0
    return b


def labels(rng, kind, eta, sigma=1.0, errors=None, bound=20):
    """The label of a row with linear predictor eta, and its entry in the schema."""
    if kind == "logistic":
        y = (rng.random(len(eta)) < 1 / (1 + np.exp(-eta))).astype(int)
        return y, {"column": "y", "classes": ["0", "1"]}
    if kind == "poisson":
        return np.minimum(rng.poisson(np.exp(eta)), 50), {"column": "y", "min": 0, "max": 50}
    e = rng.normal(size=len(eta)) if errors is None else errors
    return np.clip(eta + sigma * e, -bound, bound), {"column": "y", "min": -bound, "max": bound}


def plain(kind, p, rho=0.0, shape="gauss", scale=1.0, bounds=1.0, intercept=-0.5):
    """p columns of one shape, declared -bounds to bounds (skew: 0 to 40)."""
    def draw(rng, n):
        b = effects(p) * scale
        if shape == "skew":
            x, sd, low, high = np.exp(0.75 * rng.normal(size=(n, p))), 1.16, 0, 40
            base = -b / sd @ np.full(p, 1.32)
        elif shape == "unif":
            x, sd, low, high = rng.uniform(-1, 1, (n, p)), 0.577, -1, 1
            base = 0
        else:
            x, sd, low, high = np.clip(0.3 * normal(rng, n, p, rho), -1, 1), 0.3, -bounds, bounds
            base = 0
        slopes = b / sd
        half = 0.5 if kind == "poisson" else 1
        eta = half * (intercept + base + x @ slopes) + (0.5 if kind == "poisson" else 0)
        y, label = labels(rng, kind, eta)
        names = [f"x{j}" for j in range(p)]
        return Drawn([number(names[j], x[:, j], low, high) for j in range(p)], y,
                     dict(zip(names, half * slopes)), x, label)
    return draw


def dummies(values, n_levels, reference=0):
    return np.eye(n_levels)[values][:, [k for k in range(n_levels) if k != reference]]


def with_category(kind, shares, numbers=3, missing=False, weights=False, persons=False):
    """Numbers and one category with these shares; the first level is the most frequent."""
    def draw(rng, n):
        x = np.clip(0.3 * normal(rng, n, numbers), -1, 1)
        level = rng.choice(len(shares), size=n, p=shares)
        names = [chr(ord("a") + k) for k in range(len(shares))]
        b, jumps = effects(numbers) / 0.3, np.linspace(0.5, -0.5, len(shares) - 1)
        seen = np.ones((n, numbers))
        truth = dict(zip([f"x{j}" for j in range(numbers)], b))
        matrix = [x]
        columns = []
        cells = x.astype(object)
        if missing:
            seen[:, 0] = rng.random(n) > 0.2
            cells[seen[:, 0] == 0, 0] = ""
            matrix = [x * seen, (1 - seen[:, :1])]
            truth["x0=missing"] = 0.4
        for j in range(numbers):
            more = {"missing": "own"} if missing and j == 0 else {}
            columns.append(number(f"x{j}", cells[:, j], -1, 1, **more))
        columns.append(category("g", level, names))
        matrix.append(dummies(level, len(shares)))
        truth.update({f"g={names[k + 1]}": jumps[k] for k in range(len(shares) - 1)})
        full = np.column_stack(matrix)
        y, label = labels(rng, kind, -0.5 + full @ np.array(list(truth.values())))
        drawn = Drawn(columns, y, truth, full, label)
        if weights:
            drawn.weights = np.where(x[:, 0] > 0, 1.0, 0.4)
        return drawn
    return draw


def persons(kind, p, as_rows=False):
    """Persons with 1, 2, 5 or 10 rows; 80% of x and 70% of the error variance is the person's own.
    as_rows leaves the ids out, so that rows are taken as independent, which is wrong."""
    def draw(rng, n):
        m = rng.choice([1, 2, 5, 10], size=n, p=[0.4, 0.3, 0.2, 0.1])
        ids = np.repeat(np.arange(n), m)
        x = np.sqrt(0.8) * rng.normal(size=(n, p))[ids] + np.sqrt(0.2) * rng.normal(size=(len(ids), p))
        x = np.clip(0.3 * x, -1, 1)
        b = effects(p) / 0.3
        eta = -0.5 + x @ b
        if kind == "logistic":  # a Gaussian copula of the rows of a person
            from scipy import stats
            z = np.sqrt(0.7) * rng.normal(size=n)[ids] + np.sqrt(0.3) * rng.normal(size=len(ids))
            y, label = (stats.norm.cdf(z) < 1 / (1 + np.exp(-eta))).astype(int), {"column": "y", "classes": ["0", "1"]}
        else:
            e = np.sqrt(0.7) * rng.normal(size=n)[ids] + np.sqrt(0.3) * rng.normal(size=len(ids))
            y, label = labels(rng, kind, eta, errors=e)
        names = [f"x{j}" for j in range(p)]
        return Drawn([number(names[j], x[:, j], -1, 1) for j in range(p)], y, dict(zip(names, b)), x, label,
                     ids=None if as_rows else ids)
    return draw


def hats(values, knots):
    place = np.clip(np.searchsorted(knots, values, side="right") - 1, 0, len(knots) - 2)
    right = (values - knots[place]) / (knots[place + 1] - knots[place])
    out = np.zeros((len(values), len(knots)))
    out[np.arange(len(values)), place] = 1 - right
    out[np.arange(len(values)), place + 1] = right
    return out


def curve(kind):
    """One curve of 4 knots between 20 and 80, and three numbers."""
    def draw(rng, n):
        age = np.round(np.clip(rng.normal(45, 15, n), 20, 80), 1)
        x = np.clip(0.3 * normal(rng, n, 3), -1, 1)
        knots = np.linspace(20, 80, 4)
        shape, b = np.array([-0.6, 0, 0.3, 1.0]), effects(3) / 0.3
        all_hats = hats(age, knots)
        y, label = labels(rng, kind, -0.5 + all_hats @ shape + x @ b)
        columns = [number("age", age, 20, 80, curve={"knots": 4, "kind": "linear"})]
        columns += [number(f"x{j}", x[:, j], -1, 1) for j in range(3)]
        keep = [0, 2, 3]  # the knot at 40 has the most rows
        truth = {f"age@{knots[k]:g}": shape[k] - shape[1] for k in keep}
        truth.update({f"x{j}": b[j] for j in range(3)})
        return Drawn(columns, y, truth, np.column_stack([all_hats[:, keep], x]), label)
    return draw


# ---- twelve designs that nobody has tuned on ------------------------------------------------


def survey(rng, n):
    """1: age in years, sex, region, income on a log scale."""
    age, sex = rng.integers(18, 91, n), rng.integers(0, 2, n)
    region = rng.choice(4, size=n, p=[0.4, 0.3, 0.2, 0.1])
    income = np.clip(np.exp(3.5 + 0.5 * rng.normal(size=n)), 0, 500)
    log = np.log1p(income)
    eta = -1.5 + 0.02 * age + 0.3 * sex + np.array([0, 0.3, -0.2, 0.5])[region] - 0.1 * log
    y, label = labels(rng, "logistic", eta)
    columns = [number("age", age, 18, 90), category("sex", sex, ["f", "m"]),
               category("region", region, ["a", "b", "c", "d"]),
               number("income", income, 0, 500, map="log1p")]
    truth = {"age": 0.02, "sex=m": 0.3, "region=b": 0.3, "region=c": -0.2, "region=d": 0.5, "log1p(income)": -0.1}
    return Drawn(columns, y, truth, np.column_stack([age, sex, dummies(region, 4), log]), label)


def counted(rng, n):
    """3: counts as columns, and a flag that is true for 30%."""
    x = np.minimum(rng.poisson(2, (n, 4)), 20)
    flag = (rng.random(n) < 0.3).astype(int)
    b = np.array([0.2, -0.15, 0.1, 0.0])
    y, label = labels(rng, "logistic", -0.3 + (x - 2) @ b + 0.4 * flag)
    columns = [number(f"x{j}", x[:, j], 0, 20) for j in range(4)]
    columns.append(({"name": "flag", "type": "bool"}, flag))
    truth = {**{f"x{j}": b[j] for j in range(4)}, "flag=true": 0.4}
    return Drawn(columns, y, truth, np.column_stack([x, flag]), label)


def heavy(rng, n):
    """4: errors with a t distribution of 5 degrees of freedom."""
    x, b = np.clip(0.3 * normal(rng, n, 6, 0.3), -1, 1), effects(6) / 0.3
    y, label = labels(rng, "squared", x @ b, errors=rng.standard_t(5, n))
    return Drawn([number(f"x{j}", x[:, j], -1, 1) for j in range(6)], y,
                 {f"x{j}": b[j] for j in range(6)}, x, label)


def spread_out(rng, n):
    """5: symmetric errors whose deviation grows with the first column."""
    x, b = rng.uniform(-1, 1, (n, 5)), effects(5) / 0.577
    y, label = labels(rng, "squared", x @ b, errors=rng.normal(size=n) * np.exp(0.4 * x[:, 0]))
    return Drawn([number(f"x{j}", x[:, j], -1, 1) for j in range(5)], y,
                 {f"x{j}": b[j] for j in range(5)}, x, label)


def score(rng, n):
    """6: a rounded score from 0 to 100, four numbers and five equal groups."""
    x, group = normal(rng, n, 4, 0.4), rng.integers(0, 5, n)
    b, jumps = np.array([4.0, -2, 1, 0]), np.array([0, 2, -2, 1, 0])
    y = np.clip(np.round(50 + x @ b + jumps[group] + 8 * rng.normal(size=n)), 0, 100)
    names = ["a", "b", "c", "d", "e"]
    columns = [number(f"x{j}", np.clip(x[:, j], -5, 5), -5, 5) for j in range(4)]
    columns.append(category("g", group, names))
    truth = {f"x{j}": b[j] for j in range(4)}
    truth.update({f"g={names[k]}": jumps[k] for k in range(5)})  # against whichever is the reference
    return Drawn(columns, y, truth, np.column_stack([x, dummies(group, 5)]),
                 {"column": "y", "min": 0, "max": 100})


def product(rng, n):
    """7: a column that is the product of two others."""
    x = np.clip(0.3 * normal(rng, n, 4, 0.5), -1, 1)
    x = np.column_stack([x, x[:, 0] * x[:, 1]])
    b = np.array([1.5, -1, 0.7, 0, 2.0])
    y, label = labels(rng, "logistic", 0.2 + x @ b)
    return Drawn([number(f"x{j}", x[:, j], -1, 1) for j in range(5)], y,
                 {f"x{j}": b[j] for j in range(5)}, x, label)


def claims(rng, n):
    """8: few counts, with a category and numbers."""
    x, group = np.clip(0.3 * normal(rng, n, 3, 0.2), -1, 1), rng.choice(3, size=n, p=[0.5, 0.3, 0.2])
    b, jumps = np.array([0.8, -0.5, 0.0]), np.array([0, 0.3, -0.3])
    y, label = labels(rng, "poisson", -0.2 + x @ b + jumps[group])
    columns = [number(f"x{j}", x[:, j], -1, 1) for j in range(3)] + [category("g", group, ["a", "b", "c"])]
    truth = {**{f"x{j}": b[j] for j in range(3)}, "g=b": 0.3, "g=c": -0.3}
    return Drawn(columns, y, truth, np.column_stack([x, dummies(group, 3)]), label)


def two_humps(rng, n):
    """9: columns with two humps, far from the middle of their bounds."""
    hump = rng.integers(0, 2, (n, 4))
    x = np.clip(50 + 30 * hump + 8 * rng.normal(size=(n, 4)), 0, 1000)
    b = np.array([0.04, -0.03, 0.02, 0])
    y, label = labels(rng, "logistic", (x - 65) @ b + 0.3)
    return Drawn([number(f"x{j}", x[:, j], 0, 1000) for j in range(4)], y,
                 {f"x{j}": b[j] for j in range(4)}, x, label)


def waits(rng, n):
    """10: twenty exponential columns."""
    x = np.minimum(rng.exponential(size=(n, 20)), 15)
    b = effects(20)
    y, label = labels(rng, "squared", (x - 1) @ b)
    return Drawn([number(f"x{j}", x[:, j], 0, 15) for j in range(20)], y,
                 {f"x{j}": b[j] for j in range(20)}, x, label)


def ordered(rng, n):
    """11: an ordered column of five levels, a flag, and numbers."""
    level, flag = rng.choice(5, size=n, p=[0.1, 0.2, 0.35, 0.25, 0.1]), (rng.random(n) < 0.4).astype(int)
    x, jumps = np.clip(0.3 * normal(rng, n, 3), -1, 1), np.array([-0.6, -0.3, 0, 0.2, 0.8])
    b = np.array([1.0, -0.5, 0])
    y, label = labels(rng, "logistic", -0.2 + x @ b + jumps[level] + 0.3 * flag)
    names = ["none", "low", "middle", "high", "top"]
    columns = [number(f"x{j}", x[:, j], -1, 1) for j in range(3)]
    columns.append(({"name": "o", "type": "ordinal", "values": names}, np.asarray(names)[level]))
    columns.append(({"name": "flag", "type": "bool"}, flag))
    truth = {f"x{j}": b[j] for j in range(3)}
    truth.update({f"o={names[k]}": jumps[k] for k in (0, 1, 3, 4)})
    truth["flag=true"] = 0.3
    return Drawn(columns, y, truth, np.column_stack([x, dummies(level, 5, 2), flag]), label)


# Name: (draw, loss, n, epsilon, options). OWN were committed before their first results.
OWN = {
    "survey": (survey, "logistic", 20000, 1, {}),
    "8% cases": (plain("logistic", 5, rho=0.5, intercept=-2.8), "logistic", 30000, 1, {}),
    "counted": (counted, "logistic", 15000, 1, {}),
    "t5 errors": (heavy, "squared", 20000, 1, {}),
    "spread out": (spread_out, "squared", 20000, 1, {}),
    "score": (score, "squared", 10000, 1, {}),
    "product": (product, "logistic", 50000, 0.5, {}),
    "claims": (claims, "poisson", 30000, 1, {}),
    "two humps": (two_humps, "logistic", 20000, 1, {}),
    "waits": (waits, "squared", 50000, 1, {}),
    "ordered": (ordered, "logistic", 20000, 1, {}),
    "low budget": (plain("squared", 3), "squared", 50000, 0.3, {}),
}
REQUIRED = {
    "gauss logistic 1": (plain("logistic", 9), "logistic", 20000, 1, {}),
    "gauss logistic 3": (plain("logistic", 9), "logistic", 20000, 3, {}),
    "gauss linear 1": (plain("squared", 9), "squared", 20000, 1, {}),
    "gauss linear 3": (plain("squared", 9), "squared", 20000, 3, {}),
    "corr logistic": (plain("logistic", 5, rho=0.9), "logistic", 20000, 1, {}),
    "corr linear": (plain("squared", 5, rho=0.9), "squared", 20000, 1, {}),
    "wide bounds logistic": (plain("logistic", 9, bounds=10), "logistic", 20000, 1, {}),
    "wide bounds linear": (plain("squared", 9, bounds=10), "squared", 20000, 1, {}),
    "few rows logistic": (plain("logistic", 9), "logistic", 1000, 1, {}),
    "few rows linear": (plain("squared", 9), "squared", 1000, 1, {}),
    "poisson": (plain("poisson", 9), "poisson", 20000, 1, {}),
    "zero-out": (plain("logistic", 9), "logistic", 20000, 1, {"adjacency": "zero-out"}),
    "weights": (with_category("logistic", [0.5, 0.3, 0.2], weights=True), "logistic", 20000, 1, {}),
    "level of 1%": (with_category("logistic", [0.5, 0.3, 0.15, 0.04, 0.01]), "logistic", 20000, 1, {}),
    "missing own": (with_category("logistic", [0.5, 0.3, 0.2], missing=True), "logistic", 20000, 1, {}),
    "curve": (curve("logistic"), "logistic", 50000, 1, {}),
    "persons logistic": (persons("logistic", 7), "logistic", 20000, 1, {}),
    "persons linear": (persons("squared", 7), "squared", 20000, 1, {}),
    "mutant: persons as rows": (persons("squared", 7, True), "squared", 20000, 1, {}),
    "small logistic": (plain("logistic", 3), "logistic", 5000, 1, {}),
    "small linear": (plain("squared", 3), "squared", 5000, 1, {}),
    "few linear": (plain("squared", 9), "squared", 1000, 3, {}),
    "large logistic": (plain("logistic", 29), "logistic", 200000, 1, {}),
    "large linear": (plain("squared", 29), "squared", 200000, 1, {}),
    "strong": (plain("logistic", 5, scale=3.0), "logistic", 20000, 1, {}),
}
