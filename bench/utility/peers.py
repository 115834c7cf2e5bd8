# SPDX-License-Identifier: MIT
"""The methods to compare with that need only NumPy.

Rows have norm at most 1, so the gradient of an example has the norm of its slope (a
vector of K slopes for softmax) times at most 1. Adjacency is zero-out: the noise
covers one example of norm at most `clip`. Many runs are computed together, each with one
column (K columns) of the weights.
"""

from dataclasses import dataclass, replace

import numpy as np

BLOCK = 1024  # rows that stay in the cache between their two uses


@dataclass(frozen=True)
class Setting:
    steps: int
    rate: float  # in units of one over the smoothness of the mean loss
    clip: float
    momentum: float
    output: str = "last"


@dataclass(frozen=True)
class SgdSetting:
    batch: int
    passes: int
    rate: float
    clip: float
    momentum: float
    noise: float  # standard deviation over the clip


class Task:
    """A problem as gradient sums and test scores of many weight vectors at once."""

    def __init__(self, problem):
        self.problem = problem
        self.outputs = problem.outputs
        self.norms = np.linalg.norm(problem.x, axis=1).astype(np.float32)
        top = np.linalg.eigvalsh(problem.x.T.astype(float) @ problem.x / problem.n)[-1]
        self.smoothness = top * (1 if problem.classes == 0 else 0.25 if self.outputs == 1 else 0.5)

        self.largest_smoothness = self.smoothness / top

    def zeros(self, runs):
        return np.zeros((self.problem.d, runs, self.outputs), np.float32)

    def margins(self, x, w):
        return (x @ w.reshape(len(w), -1)).reshape(len(x), *w.shape[1:])

    def slopes(self, margins, y):
        if self.problem.classes == 0:
            return margins - y[:, None, None]
        if self.outputs == 1:
            half = 0.5 * np.tanh(0.5 * margins)
            half += 0.5 - y[:, None, None].astype(np.float32)
            return half
        p = np.exp(margins - margins.max(axis=2, keepdims=True))
        p /= p.sum(axis=2, keepdims=True)
        p[np.arange(len(y)), :, y] -= 1
        return p

    def clipped(self, x, y, norms, w, clip):
        """Sum over these rows of gradients clipped to clip[run]."""
        a = self.slopes(self.margins(x, w), y)
        if clip is not None and self.outputs == 1:
            limit = (clip / norms[:, None])[:, :, None].astype(np.float32)
            np.clip(a, -limit, limit, out=a)
        elif clip is not None:
            size = np.sqrt(np.einsum("imk,imk->im", a, a)) * norms[:, None]
            a *= np.minimum(1, clip / np.maximum(size, 1e-30))[:, :, None].astype(np.float32)
        return (x.T @ a.reshape(len(a), -1)).reshape(w.shape)

    def gradient_sum(self, w, clip, first=0, last=None):
        x, y, norms = self.problem.x, self.problem.y, self.norms
        if clip is not None and self.problem.classes == 2 and clip.min() >= 1:
            clip = None  # no slope is longer
        last = len(x) if last is None else last
        total = np.zeros_like(w)
        for start in range(first, last, BLOCK):
            rows = slice(start, min(start + BLOCK, last))
            total += self.clipped(x[rows], y[rows], norms[rows], w, clip)
        return total

    def scores(self, w):
        """Test loss and accuracy of each run."""
        return self.problem.scores(self.margins(self.problem.x_test, w))


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


def sample_and_descend(task, settings, seed):
    """DP-SGD on Poisson batches as Opacus does it, settings that differ in rate, clip and momentum
    on the same batches; for tuning only. Yields (setting, losses, accuracies) of one run each."""
    first, problem = settings[0], task.problem
    share = first.batch / problem.n
    random = np.random.default_rng([seed, first.batch, first.passes])
    clip = np.array([s.clip for s in settings], np.float32)
    rate = column([s.rate / first.batch for s in settings])
    momentum = column([s.momentum for s in settings])
    std = column([s.clip * s.noise for s in settings])
    w = task.zeros(len(settings))
    velocity = np.zeros_like(w)
    for _ in range(max(1, round(first.passes / share))):
        rows = np.flatnonzero(random.random(problem.n) < share)
        g = task.clipped(problem.x[rows], problem.y[rows], task.norms[rows], w, clip)
        g += std * shared_noise(random, task, len(settings), 1)
        velocity = momentum * velocity + g
        w = w - rate * velocity
    loss, accuracy = task.scores(w)
    for i, setting in enumerate(settings):
        yield setting, loss[i : i + 1], accuracy[i : i + 1]


def usual_descent(task, mu, seeds):
    """Gradient descent as one would set it up without tuning: 100 steps, clip 1, and the largest
    step that is safe for every table with rows of norm 1."""
    setting = Setting(100, task.smoothness / task.largest_smoothness, 1.0, 0.0)
    return setting, *next(descend(task, mu, [setting], 1, seeds))[1:]


def ada_ssp(task, mu, seed, delta):
    """Adaptive sufficient statistics (Wang, 2018): least eigenvalue, second moments and products
    with the label, each with a third of mu squared; rows and labels are at most 1."""
    x, y = task.problem.x.astype(float), task.problem.y.astype(float)
    random, d = np.random.default_rng(seed), x.shape[1]
    std = np.sqrt(3) / mu
    products = x.T @ x
    least = np.linalg.eigvalsh(products)[0] + std * random.standard_normal()
    least = max(0.0, least - std * np.sqrt(2 * np.log(6 / delta)))
    ridge = max(0.0, std * np.sqrt(d * np.log(2 * d * d / 0.05)) - least)
    noise = np.triu(random.standard_normal((d, d)))
    products += std * (noise + np.triu(noise, 1).T)
    w = np.linalg.solve(products + ridge * np.eye(d), x.T @ y + std * random.standard_normal(d))
    loss, accuracy = task.scores(w[:, None, None])
    return loss[0], accuracy[0]


def without_noise(task):
    """Test loss and accuracy of the minimiser of the training loss plus a ridge penalty, which is
    chosen by test loss."""
    if task.problem.classes == 0:
        return least_squares(task)
    best, start = (np.inf, 0, 0), np.zeros(task.problem.d * task.outputs)
    ridges = (1e-4, 1e-5, 1e-6, 1e-7) if task.outputs == 1 else (1e-5,)
    for ridge in ridges:
        start = (
            newton(task.problem, ridge, start) if task.outputs == 1 else lbfgs(task, ridge, start)
        )
        loss, accuracy = task.scores(start.reshape(task.problem.d, 1, task.outputs))
        if loss[0] >= best[0]:
            break
        best = (float(loss[0]), float(accuracy[0]), ridge)
    return best


def least_squares(task):
    x, y = task.problem.x.astype(float), task.problem.y.astype(float)
    found = []
    for ridge in (0, 1e-6, 1e-5, 1e-4, 1e-3):
        w = np.linalg.solve(
            x.T @ x / len(x) + (ridge + 1e-12) * np.eye(x.shape[1]), x.T @ y / len(x)
        )
        loss, accuracy = task.scores(w[:, None, None])
        found.append((float(loss[0]), float(accuracy[0]), ridge))
    return min(found)


def newton(problem, ridge, start, iterations=20):
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


def lbfgs(task, ridge, start, iterations=100, memory=10):
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
