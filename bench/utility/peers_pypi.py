# SPDX-License-Identifier: MIT
"""The methods to compare with that come from PyPI, each with its own code and accountant: DP-SGD
of Opacus, linear models of diffprivlib, DP-EBM of interpret."""

import functools
import warnings

import numpy as np
from peers import SgdSetting


@functools.lru_cache(maxsize=None)
def noise_multiplier(epsilon, delta, share, passes):
    """The noise multiplier by the tightest accountant of Opacus, which would spend 98 to 100% of
    epsilon. Found in fewer steps than by halving as Opacus does."""
    from opacus.accountants import PRVAccountant

    steps = max(1, round(passes / share))

    def spent(noise):
        accountant = PRVAccountant()
        accountant.history = [(noise, share, steps)]
        return accountant.get_epsilon(delta, eps_error=min(0.01, epsilon / 30))

    noise, low, high = max(0.4, 5 * share * np.sqrt(steps) / epsilon), 0.01, 1e6
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(25):
            ratio = spent(noise) / epsilon
            if 0.98 <= ratio <= 1:
                return float(noise)
            low, high = (noise, high) if ratio > 1 else (low, noise)
            # About in inverse proportion; where it is not, halve what is left.
            guess = noise * np.clip(ratio / 0.99, 0.5, 2) ** 0.8
            noise = guess if low < guess < high else np.sqrt(low * high)
    raise ArithmeticError(f"no noise multiplier for epsilon {epsilon}")


class Opacus:
    """A linear model with per-example gradients and optimiser of Opacus. Batches are Poisson
    samples, drawn by index because its loader would build them row by row."""

    def __init__(self, problem):
        import torch

        torch.set_num_threads(1)
        self.torch, self.problem = torch, problem
        self.x, self.x_test = (torch.tensor(a) for a in (problem.x, problem.x_test))
        kind = np.int64 if problem.classes > 2 else np.float32
        self.y = torch.tensor(problem.y.astype(kind))

    def loss(self, margins, y):
        functional = self.torch.nn.functional
        if self.problem.classes > 2:
            return functional.cross_entropy(margins, y)
        if self.problem.classes == 2:
            return functional.binary_cross_entropy_with_logits(margins[:, 0], y)
        return functional.mse_loss(margins[:, 0], y) / 2

    def run(self, setting, seed):
        from opacus.grad_sample import GradSampleModule
        from opacus.optimizers import DPOptimizer

        torch, n = self.torch, self.problem.n
        share = setting.batch / n
        torch.manual_seed(seed)
        linear = torch.nn.Linear(self.problem.d, self.problem.outputs, bias=False)
        torch.nn.init.zeros_(linear.weight)
        model = GradSampleModule(linear)
        sgd = torch.optim.SGD(model.parameters(), lr=setting.rate, momentum=setting.momentum)
        optimiser = DPOptimizer(
            sgd,
            noise_multiplier=setting.noise,
            max_grad_norm=setting.clip,
            expected_batch_size=setting.batch,
        )
        for _ in range(max(1, round(setting.passes / share))):
            rows = (torch.rand(n) < share).nonzero()[:, 0]
            if len(rows) == 0:  # Opacus has no gradient of nothing
                continue
            optimiser.zero_grad()
            self.loss(model(self.x[rows]), self.y[rows]).backward()
            optimiser.step()
        with torch.no_grad():
            margins = linear(self.x_test).numpy()
        loss, accuracy = self.problem.scores(margins[:, None, :])
        return loss[0], accuracy[0]


def usual_sgd(problem, epsilon):
    """The settings of Opacus's examples: rate 0.1, batches of 64, 10 passes, clip 1."""
    noise = noise_multiplier(epsilon, problem.delta, 64 / problem.n, 10)
    return SgdSetting(64, 10, 0.1, 1.0, 0.0, noise)


def diffprivlib(problem, epsilon, c, seed):
    """Pure DP (delta is 0), rows of norm at most 1."""
    from diffprivlib.models import LinearRegression, LogisticRegression

    x = problem.x.astype(float)
    common = {"epsilon": epsilon, "fit_intercept": False, "random_state": seed}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if problem.classes == 0:
            limit = np.full(problem.d, 1 / np.sqrt(problem.d))
            model = LinearRegression(bounds_X=(-limit, limit), bounds_y=(-1, 1), **common)
        else:
            model = LogisticRegression(data_norm=1.000001, C=c, max_iter=200, **common)
        model.fit(x, problem.y)
    margins = problem.x_test @ np.ravel(model.coef_)
    loss, accuracy = problem.scores(margins[:, None, None])
    return loss[0], accuracy[0]


def ebm(problem, epsilon, rate, seed):
    """Boosted additive curves of each column; interpret's default for the rate is 0.01."""
    from interpret.privacy import DPExplainableBoostingClassifier, DPExplainableBoostingRegressor

    raw = problem.raw
    options = {
        "epsilon": epsilon,
        "delta": problem.delta,
        "feature_types": raw.types,
        "privacy_bounds": raw.bounds,
        "learning_rate": rate,
        "random_state": seed,
        "n_jobs": 1,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if problem.classes == 0:
            model = DPExplainableBoostingRegressor(
                privacy_target_min=-1, privacy_target_max=1, **options
            )
            margins = model.fit(raw.x, problem.y).predict(raw.x_test)
        else:
            model = DPExplainableBoostingClassifier(**options).fit(raw.x, problem.y)
            margins = model.decision_function(raw.x_test)
    loss, accuracy = problem.scores(np.asarray(margins)[:, None, None])
    return loss[0], accuracy[0]
