# SPDX-License-Identifier: MIT
"""Finds the settings of the tuned peers: for every problem and epsilon those with the least test
loss, which no user could know, on other seeds than the bench reports. They are kept in tuned.json.
"""

import itertools
import json
import os
from dataclasses import asdict, replace

import numpy as np
import peers
import peers_pypi

SEED = 1000
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tuned.json")


def best_of(task, method, mu, settings, seeds):
    """The least mean test loss, and its setting with the way of averaging."""
    best = (np.inf, None)
    wide = 6 if task.outputs > 1 else 48
    settings = sorted(settings, key=lambda s: s.steps)
    for _, group in itertools.groupby(settings, key=lambda s: s.steps):
        group = list(group)
        width = max(1, wide // seeds)
        for start in range(0, len(group), width):
            for setting, loss, _ in method(task, mu, group[start : start + width], SEED, seeds):
                if loss.mean() < best[0]:
                    best = (loss.mean(), setting)
    return best


def neighbours(setting, most_steps, clip_most):
    """Settings one change away."""
    for factor in (0.6, 0.8, 1.25, 1.6):
        yield replace(setting, rate=setting.rate * factor)
    for factor in (0.6, 1.6):
        steps = max(4, min(most_steps, round(setting.steps * factor)))
        yield replace(setting, steps=steps)
    for factor in (0.7, 1.4):
        yield replace(setting, clip=min(clip_most, setting.clip * factor))
    if setting.momentum > 0:
        yield replace(setting, momentum=0.95, rate=setting.rate / 2)
        yield replace(setting, momentum=0.8, rate=setting.rate * 2)


def search(task, method, mu, grid, rounds, seeds, most_steps):
    """The best of a grid, then of its neighbours as long as that helps."""
    loss, best = best_of(task, method, mu, grid, seeds)
    tried = set(grid)
    clip_most = 1.5 if task.outputs > 1 else 1.0
    for _ in range(rounds):
        plain = replace(best, output="last")
        around = set(neighbours(plain, most_steps, clip_most)) - tried
        tried |= around
        if not around:
            break
        near, candidate = best_of(task, method, mu, around, seeds)
        if near >= loss:
            break
        loss, best = near, candidate
    return asdict(best)


def descent(task, mu, start):
    """From `start`, what was found for a problem alike; without one from a grid, which is coarser
    where a run is long."""
    problem, many = task.problem, task.outputs > 1
    large, long = problem.n * problem.d > 10**6, max(problem.steps) > 200
    clips = (0.5,) if many else (0.5, 1.0) if problem.classes else (0.03, 0.1, 0.3, 1.0)
    rates = {0.0: (0.3, 1.0, 1.8), 0.9: (0.06, 0.25, 1.0)}
    if many or long:
        rates = {0.9: (1.0, 2.0, 4.0) if many else (0.25, 1.0)}
        clips = clips[-1:]
    grid = [
        peers.Setting(s, r, c, m)
        for m in rates
        for r in rates[m]
        for c in clips
        for s in problem.steps
    ]
    if start is not None:
        grid = [replace(peers.Setting(**start), output="last")]
    seeds = 1 if large else 2 if problem.n > 5000 else 6
    rounds = 0 if many else 1 if long else 2 if large else 4
    return search(task, peers.descend, mu, grid, rounds, seeds, 2 * max(problem.steps))


def leader(task, mu):
    many = task.outputs > 1
    grid = [
        peers.Setting(s, r * (1 - m), c, m)
        for s in ((64,) if many else (16, 64, 256))
        for m in ((0.9,) if many else (0.0, 0.9))
        for r in (0.1, 0.3) + (() if many else (0.03, 1.0))
        for c in ((0.5,) if many else (0.5, 1.0))
    ]
    return search(task, peers.follow, mu, grid, 1 if many else 4, 1 if many else 3, most_steps=2048)


def sampled(task, epsilon, start):
    """DP-SGD, with the noise by Opacus's accountant; batch and passes of `start` if there is one."""
    problem = task.problem
    clips = (0.5, 1.0) if problem.classes else (0.05, 0.2, 1.0)
    loss, best = np.inf, None

    def judge(settings):
        nonlocal loss, best
        for setting, found, _ in peers.sample_and_descend(task, settings, SEED):
            if found.mean() < loss:
                loss, best = found.mean(), setting

    sizes = problem.batches if start is None else [(start["batch"], start["passes"])]
    for batch, passes in sizes:
        noise = peers_pypi.noise_multiplier(epsilon, problem.delta, batch / problem.n, passes)
        judge(
            [
                peers.SgdSetting(batch, passes, r / task.smoothness * (1 - m), c, m, noise)
                for r in (0.1, 0.4, 1.6)
                for c in clips
                for m in (0.0, 0.9)
            ]
        )
    for _ in range(2):
        rates = [replace(best, rate=best.rate * f) for f in (0.5, 0.7, 1.4, 2.0)]
        judge(rates + [replace(best, clip=best.clip * f) for f in (0.7, 1.4)])
    return asdict(best)


def perturbed(problem, epsilon):
    costs = {
        c: np.mean([peers_pypi.diffprivlib(problem, epsilon, c, SEED + s)[0] for s in (0, 1)])
        for c in (0.001, 0.01, 0.1, 1.0)
    }
    return {"C": min(costs, key=costs.get)}


def boosted(problem, epsilon):
    costs = {r: peers_pypi.ebm(problem, epsilon, r, SEED)[0] for r in (0.01, 0.05, 0.2)}
    return {"rate": min(costs, key=costs.get)}


def find(method, task, epsilon, mu, tuned):
    start = tuned.get(task.problem.like, method, epsilon)
    if method == "dp-gd":
        return descent(task, mu, start)
    if method == "dp-ftrl":
        return leader(task, mu)
    if method == "opacus":
        return sampled(task, epsilon, start)
    if method == "opacus-usual":
        return asdict(peers_pypi.usual_sgd(task.problem, epsilon))
    if method == "dp-ebm":
        return boosted(task.problem, epsilon)
    return perturbed(task.problem, epsilon)


class Tuned:
    """The settings by problem, method and epsilon."""

    def __init__(self, path=FILE):
        self.path, self.settings = path, {}
        if os.path.exists(path):
            with open(path) as file:
                self.settings = json.load(file)

    def get(self, name, method, epsilon):
        return self.settings.get(name, {}).get(method, {}).get(f"{epsilon:g}")

    def put(self, name, method, epsilon, setting):
        short = {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in setting.items()}
        self.settings.setdefault(name, {}).setdefault(method, {})[f"{epsilon:g}"] = short

    def save(self):
        lines = []
        for name in sorted(self.settings):
            methods = []
            for method in sorted(self.settings[name]):
                cells = self.settings[name][method]
                ordered = sorted(cells, key=float)
                rows = ",\n".join(f'      "{e}": {json.dumps(cells[e])}' for e in ordered)
                methods.append(f'    "{method}": {{\n{rows}\n    }}')
            lines.append(f'  "{name}": {{\n' + ",\n".join(methods) + "\n  }")
        with open(self.path, "w") as file:
            file.write("{\n" + ",\n".join(lines) + "\n}\n")
