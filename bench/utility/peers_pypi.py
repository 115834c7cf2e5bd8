# SPDX-License-Identifier: MIT
"""The methods to compare with that come from PyPI, each with its own code and accountant: DP-SGD
of Opacus, logistic regression of diffprivlib."""

import functools
import itertools
import warnings
from dataclasses import asdict, dataclass, replace

import numpy as np


@dataclass(frozen=True)
class SgdSetting:
    batch: int
    passes: int
    rate: float
    clip: float
    momentum: float


@functools.lru_cache(maxsize=None)
def noise_multiplier(epsilon, delta, share, steps):
    """The noise multiplier by the tightest accountant of Opacus."""
    from opacus.accountants.utils import get_noise_multiplier

    return get_noise_multiplier(
        target_epsilon=epsilon,
        target_delta=delta,
        sample_rate=share,
        steps=steps,
        accountant="prv",
        epsilon_tolerance=epsilon / 100,
    )


class Opacus:
    """Logistic regression with per-example gradients and optimiser of Opacus. Batches are Poisson
    samples, drawn by index because its loader would build them row by row."""

    def __init__(self, problem):
        import torch

        torch.set_num_threads(1)
        self.torch, self.problem = torch, problem
        self.x, self.x_test = (torch.tensor(a) for a in (problem.x, problem.x_test))
        self.y, self.y_test = (
            torch.tensor(a.astype(np.float32)) for a in (problem.y, problem.y_test)
        )

    def run(self, epsilon, setting, seed):
        from opacus.grad_sample import GradSampleModule
        from opacus.optimizers import DPOptimizer

        torch, n = self.torch, self.problem.n
        entropy = torch.nn.functional.binary_cross_entropy_with_logits
        share = setting.batch / n
        steps = max(1, round(setting.passes * n / setting.batch))
        torch.manual_seed(seed)
        linear = torch.nn.Linear(self.problem.d, 1, bias=False)
        torch.nn.init.zeros_(linear.weight)
        model = GradSampleModule(linear)
        sgd = torch.optim.SGD(model.parameters(), lr=setting.rate, momentum=setting.momentum)
        optimiser = DPOptimizer(
            sgd,
            noise_multiplier=noise_multiplier(epsilon, self.problem.delta, share, steps),
            max_grad_norm=setting.clip,
            expected_batch_size=setting.batch,
        )
        for _ in range(steps):
            rows = (torch.rand(n) < share).nonzero()[:, 0]
            optimiser.zero_grad()
            entropy(model(self.x[rows])[:, 0], self.y[rows]).backward()
            optimiser.step()
        with torch.no_grad():
            margins = linear(self.x_test)[:, 0]
            right = (margins > 0) == (self.y_test > 0)
            return float(entropy(margins, self.y_test)), float(right.float().mean())

    def runs(self, epsilon, setting, seeds):
        return np.array([self.run(epsilon, setting, seed) for seed in seeds]).T


def opacus_usual(problem, epsilon, quick):
    """With the settings of its examples: rate 0.1, batches of 64, 10 passes, clip 1."""
    setting = SgdSetting(64, 10, 0.1, 1.0, 0.0)
    loss, accuracy = Opacus(problem).runs(epsilon, setting, range(1, 2 if quick else 4))
    return asdict(setting), loss, accuracy


def opacus_tuned(problem, epsilon, smoothness, quick):
    sgd = Opacus(problem)
    sizes = ((1024, 10),) if quick else ((256, 10), (1024, 20), (4096, 40))
    grid = [
        SgdSetting(b, e, r / smoothness, 1.0, 0.0)
        for (b, e), r in itertools.product(sizes, (0.1, 0.4, 1.6))
    ]
    losses = {s: sgd.run(epsilon, s, 1)[0] for s in grid}
    best = min(losses, key=losses.get)
    if not quick:
        around = [
            replace(best, rate=best.rate * 0.5),
            replace(best, rate=best.rate * 2),
            replace(best, clip=0.6),
            replace(best, passes=2 * best.passes),
            replace(best, momentum=0.9, rate=best.rate * 0.15),
        ]
        losses.update({s: sgd.run(epsilon, s, 1)[0] for s in around})
        best = min(losses, key=losses.get)
    loss, accuracy = sgd.runs(epsilon, best, range(11, 13 if quick else 16))
    return asdict(best), loss, accuracy


def diffprivlib(problem, epsilon, quick):
    """Pure DP (delta is 0), rows of norm at most 1; C is chosen by test loss."""
    from diffprivlib.models import LogisticRegression

    sign = 2 * problem.y_test - 1

    def run(c, seed):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LogisticRegression(
                epsilon=epsilon,
                data_norm=1.000001,
                C=c,
                max_iter=200,
                fit_intercept=False,
                random_state=seed,
            )
            model.fit(problem.x.astype(float), problem.y)
        margins = problem.x_test @ model.coef_[0]
        return np.logaddexp(0, -sign * margins).mean(), ((margins > 0) == (sign > 0)).mean()

    candidates = (0.01, 1.0) if quick else (0.001, 0.01, 0.1, 1.0)
    best = min(candidates, key=lambda c: np.mean([run(c, s)[0] for s in (1, 2)]))
    seeds = range(11, 13 if quick else 16)
    loss, accuracy = np.array([run(best, seed) for seed in seeds]).T
    return {"C": best}, loss, accuracy
