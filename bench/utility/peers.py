# SPDX-License-Identifier: MIT
"""The methods to compare with that need only NumPy.

Rows have norm at most 1, so the gradient of an example has the norm of its slope (a
vector of K slopes for softmax) times at most 1. Adjacency is zero-out: the noise
covers one example of norm at most `clip`. Many runs are computed together, each with one
column (K columns) of the weights.
"""

import itertools
from dataclasses import asdict, dataclass, replace

import numpy as np

BLOCK = 4096  # rows that stay in the cache


@dataclass(frozen=True)
class Setting:
    steps: int
    rate: float  # in units of one over the smoothness of the mean loss
    clip: float
    momentum: float
    output: str = "last"


class Task:
    """A problem as gradient sums and test scores of many weight vectors at once."""

    def __init__(self, problem):
        self.problem = problem
        self.outputs = 1 if problem.classes == 2 else problem.classes
        self.norms = np.linalg.norm(problem.x, axis=1).astype(np.float32)
        top = np.linalg.eigvalsh(problem.x.T.astype(float) @ problem.x / problem.n)[-1]
        self.smoothness = top * (0.25 if self.outputs == 1 else 0.5)

    def zeros(self, runs):
        return np.zeros((self.problem.d, runs, self.outputs), np.float32)

    def margins(self, x, w):
        return (x @ w.reshape(len(w), -1)).reshape(len(x), *w.shape[1:])

    def slopes(self, margins, y):
        if self.outputs == 1:
            half = 0.5 * np.tanh(0.5 * margins)
            half += 0.5 - y[:, None, None].astype(np.float32)
            return half
        p = np.exp(margins - margins.max(axis=2, keepdims=True))
        p /= p.sum(axis=2, keepdims=True)
        p[np.arange(len(y)), :, y] -= 1
        return p

    def gradient_sum(self, w, clip, first=0, last=None):
        """Sum over the rows of gradients clipped to clip[run]."""
        x, y, norms = self.problem.x, self.problem.y, self.norms
        if clip is not None and self.outputs == 1 and clip.min() >= 1:
            clip = None  # no slope is longer
        last = len(x) if last is None else last
        total = np.zeros_like(w)
        for start in range(first, last, BLOCK):
            rows = slice(start, min(start + BLOCK, last))
            a = self.slopes(self.margins(x[rows], w), y[rows])
            if clip is not None:
                if self.outputs == 1:
                    limit = (clip / norms[rows, None])[:, :, None].astype(np.float32)
                    np.clip(a, -limit, limit, out=a)
                else:
                    size = np.sqrt(np.einsum("imk,imk->im", a, a)) * norms[rows, None]
                    a *= np.minimum(1, clip / np.maximum(size, 1e-30))[:, :, None].astype(
                        np.float32
                    )
            total += (x[rows].T @ a.reshape(len(a), -1)).reshape(w.shape)
        return total

    def scores(self, w):
        """Test loss and accuracy of each run."""
        x, y = self.problem.x_test, self.problem.y_test
        margins = self.margins(x, w).astype(float)
        if self.outputs == 1:
            sign = (2 * y - 1)[:, None]
            margins = margins[:, :, 0]
            loss = np.logaddexp(0, -sign * margins).mean(axis=0)
            return loss, ((margins > 0) == (sign > 0)).mean(axis=0)
        top = margins.max(axis=2)
        logs = top + np.log(np.exp(margins - top[:, :, None]).sum(axis=2))
        loss = (logs - margins[np.arange(len(y)), :, y]).mean(axis=0)
        return loss, (margins.argmax(axis=2) == y[:, None]).mean(axis=0)


class Averages:
    """Outputs of one run: the last iterate, the mean of the last half, and the mean with weights
    t^2."""

    NAMES = ("last", "half", "poly")

    def __init__(self, w, steps):
        self.steps, self.seen = steps, 0
        self.half, self.poly, self.weight = np.zeros_like(w), np.zeros_like(w), 0.0

    def add(self, w):
        self.seen += 1
        self.weight += self.seen**2
        self.poly += np.float32(self.seen**2 / self.weight) * (w - self.poly)
        before = self.steps // 2
        if self.seen > before:
            self.half += (w - self.half) / np.float32(self.seen - before)
        self.last = w

    def get(self, name):
        return getattr(self, name)


def column(values):
    return np.array(values, np.float32)[None, :, None]


def shared_noise(random, task, settings, seeds):
    """Noise that is the same for every setting, so that the comparison is fair."""
    z = random.standard_normal((task.problem.d, seeds, task.outputs), dtype=np.float32)
    return np.tile(z, (1, settings, 1))


def descend(task, mu, settings, seed, seeds):
    """Full-batch DP gradient descent (heavy ball), all settings with the same number of
    steps. Each step is a Gaussian release; together they are exactly mu-GDP. Yields
    (setting with its output, losses, accuracies)."""
    steps, n = settings[0].steps, task.problem.n
    random = np.random.default_rng([seed, steps])
    wide = [s for s in settings for _ in range(seeds)]
    clip = np.array([s.clip for s in wide], np.float32)
    rate = column([s.rate / task.smoothness / n for s in wide])
    momentum = column([s.momentum for s in wide])
    std = column([s.clip * np.sqrt(steps) / mu for s in wide])
    w = task.zeros(len(wide))
    velocity, averages = np.zeros_like(w), Averages(w, steps)
    for _ in range(steps):
        g = task.gradient_sum(w, clip)
        g += std * shared_noise(random, task, len(settings), seeds)
        velocity = momentum * velocity + g
        w = w - rate * velocity
        averages.add(w)
    yield from outcomes(task, settings, seeds, averages)


def outcomes(task, settings, seeds, averages):
    for output in Averages.NAMES:
        loss, accuracy = task.scores(averages.get(output))
        for i, setting in enumerate(settings):
            part = slice(i * seeds, (i + 1) * seeds)
            yield replace(setting, output=output), loss[part], accuracy[part]


def follow(task, mu, settings, seed, seeds):
    """DP-FTRL: one pass in `steps` batches, follow-the-regularised-leader on plain
    gradients whose running sum is released through a binary tree."""
    steps, n = settings[0].steps, task.problem.n
    random = np.random.default_rng([seed, steps, 1])
    levels = steps.bit_length()
    wide = [s for s in settings for _ in range(seeds)]
    clip = np.array([s.clip for s in wide], np.float32)
    rate = column([s.rate / task.smoothness * steps / n for s in wide])
    momentum = column([s.momentum for s in wide])
    std = column([s.clip * np.sqrt(levels) / mu for s in wide])
    w = task.zeros(len(wide))
    total, velocity = np.zeros_like(w), np.zeros_like(w)
    nodes, averages = [None] * levels, Averages(w, steps)
    for t in range(1, steps + 1):
        total += task.gradient_sum(w, clip, (t - 1) * n // steps, t * n // steps)
        level = (t & -t).bit_length() - 1
        nodes[level] = shared_noise(random, task, len(settings), seeds)
        noise = sum(nodes[j] for j in range(levels) if t >> j & 1)
        velocity = momentum * velocity + total + std * noise
        w = -rate * velocity
        averages.add(w)
    yield from outcomes(task, settings, seeds, averages)


def best_of(task, method, mu, settings, seed, seeds, runs_at_once):
    """The setting and output with the smallest mean test loss."""
    best = (np.inf, None)
    settings = sorted(settings, key=lambda s: s.steps)
    for _, group in itertools.groupby(settings, key=lambda s: s.steps):
        group = list(group)
        width = max(1, runs_at_once // seeds)
        for start in range(0, len(group), width):
            for setting, loss, _ in method(task, mu, group[start : start + width], seed, seeds):
                mean = loss.mean()
                if mean < best[0]:
                    best = (mean, setting)
    return best


def neighbours(setting, most_steps):
    """Settings one change away."""
    for factor in (0.6, 0.8, 1.25, 1.6):
        yield replace(setting, rate=setting.rate * factor)
    for factor in (0.6, 1.6):
        steps = max(4, min(most_steps, round(setting.steps * factor)))
        yield replace(setting, steps=steps)
    for factor in (0.7, 1.4):
        yield replace(setting, clip=min(1.0, setting.clip * factor))
    if setting.momentum > 0:
        yield replace(setting, momentum=0.95, rate=setting.rate / 2)
        yield replace(setting, momentum=0.8, rate=setting.rate * 2)


def tune(task, method, mu, grid, rounds, seeds, most_steps, fresh_seeds, runs_at_once=64):
    """Chooses a setting by test loss on a grid, refines it, and runs it again with fresh
    noise."""
    loss, best = best_of(task, method, mu, grid, 1, seeds, runs_at_once)
    tried = set(grid)
    for _ in range(rounds):
        around = {s for s in neighbours(replace(best, output="last"), most_steps)} - tried
        tried |= around
        if not around:
            break
        near, candidate = best_of(task, method, mu, list(around), 1, seeds, runs_at_once)
        if near >= loss:
            break
        loss, best = near, candidate
    alone = [replace(best, output="last")]
    final = {s: found for s, *found in method(task, mu, alone, 2, fresh_seeds)}
    loss, accuracy = final[best]
    return asdict(best), loss, accuracy


def gradient_descent(task, mu, quick):
    """The grids for tuning. They are coarser for long runs; the best point is refined later."""
    problem = task.problem
    coarse = quick or problem.tune_seeds == 1
    many = task.outputs > 1
    rates = {0.9: (0.25, 1.0, 2.5)} if many else {0.0: (0.3, 1.0, 1.8), 0.9: (0.06, 0.25, 1.0)}
    clips = (1.0,) if coarse and not many else (0.5, 1.0)
    steps = {m: problem.steps[:1] if quick or (coarse and m == 0) else problem.steps for m in rates}
    grid = [Setting(s, r, c, m) for m in rates for r in rates[m] for c in clips for s in steps[m]]
    return tune(
        task,
        descend,
        mu,
        grid,
        rounds=1 if quick or many else 2 if coarse else 4,
        seeds=1 if quick else problem.tune_seeds,
        most_steps=2 * max(problem.steps),
        fresh_seeds=3 if quick or many else problem.seeds,
        runs_at_once=12 if many else 64,
    )


def tree_on_gradients(task, mu, quick):
    batches = (16, 64) if quick else (16, 64, 256)
    momenta = (0.0,) if quick else (0.0, 0.9)
    grid = [
        Setting(s, r * (1 - m), c, m)
        for s in batches
        for m in momenta
        for r in (0.03, 0.1, 0.3, 1.0)
        for c in (0.5, 1.0)
    ]
    return tune(
        task,
        follow,
        mu,
        grid,
        rounds=1 if quick else 6,
        seeds=2 if quick else 4,
        most_steps=2048,
        fresh_seeds=5 if quick else task.problem.seeds,
    )


def without_noise(task):
    """Test loss and accuracy of the minimiser of the training loss plus a ridge penalty, which is
    chosen by test loss."""
    best, start = (np.inf, 0, 0), np.zeros(task.problem.d * task.outputs)
    ridges = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8) if task.outputs == 1 else (1e-5, 1e-6)
    for ridge in ridges:
        start = (
            newton(task.problem, ridge, start) if task.outputs == 1 else lbfgs(task, ridge, start)
        )
        loss, accuracy = task.scores(start.reshape(task.problem.d, 1, task.outputs))
        if loss[0] >= best[0]:
            break
        best = (float(loss[0]), float(accuracy[0]), ridge)
    return best


def newton(problem, ridge, start, iterations=60):
    x, y = problem.x.astype(float), problem.y
    w = start

    def value(at):
        return np.logaddexp(0, -(2 * y - 1) * (x @ at)).mean() + ridge / 2 * at @ at

    for _ in range(iterations):
        p = 1 / (1 + np.exp(-(x @ w)))
        gradient = x.T @ (p - y) / len(x) + ridge * w
        hessian = (x * (p * (1 - p))[:, None]).T @ x / len(x) + ridge * np.eye(len(w))
        step, size, now = np.linalg.solve(hessian, gradient), 1.0, value(w)
        while value(w - size * step) > now and size > 1e-6:
            size /= 2
        w = w - size * step
        if gradient @ step < 1e-13:
            break
    return w


def lbfgs(task, ridge, start, iterations=200, memory=10):
    """Limited-memory BFGS with backtracking, for softmax."""
    problem = task.problem
    n = problem.n

    def value_and_gradient(w):
        shaped = w.reshape(problem.d, 1, task.outputs).astype(np.float32)
        margins = task.margins(problem.x, shaped)[:, 0, :].astype(float)
        top = margins.max(axis=1)
        logs = top + np.log(np.exp(margins - top[:, None]).sum(axis=1))
        value = (logs - margins[np.arange(n), problem.y]).mean() + ridge / 2 * w @ w
        gradient = task.gradient_sum(shaped, None).reshape(-1).astype(float) / n
        return value, gradient + ridge * w

    w = start
    value, gradient = value_and_gradient(w)
    pairs = []
    for _ in range(iterations):
        direction, alphas = -gradient, []
        for s, t in reversed(pairs):
            alphas.append(s @ direction / (s @ t))
            direction = direction - alphas[-1] * t
        direction *= (
            pairs[-1][0] @ pairs[-1][1] / (pairs[-1][1] @ pairs[-1][1])
            if pairs
            else 1 / task.smoothness
        )
        for (s, t), alpha in zip(pairs, reversed(alphas)):
            direction = direction + (alpha - t @ direction / (s @ t)) * s
        size = 1.0
        while True:
            new = w + size * direction
            new_value, new_gradient = value_and_gradient(new)
            if new_value <= value + 1e-4 * size * (gradient @ direction) or size < 1e-6:
                break
            size /= 2
        s, t = new - w, new_gradient - gradient
        if s @ t > 1e-14:
            pairs = pairs[-(memory - 1) :] + [(s, t)]
        if value - new_value < 1e-9:
            break
        w, value, gradient = new, new_value, new_gradient
    return w
