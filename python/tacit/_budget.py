# SPDX-License-Identifier: MIT
"""A budget over many fits: what is spent on the same people adds up."""
import contextvars
import math
import threading
from typing import NamedTuple

from tacit import _account
from tacit._core import ArgumentError, BudgetError

_current = contextvars.ContextVar("tacit_accountant", default=None)


class PrivacyWarning(UserWarning):
    """Something spends more privacy than it seems to."""


class Budget(NamedTuple):
    """An (epsilon, delta) guarantee."""

    epsilon: float
    delta: float


class BudgetAccountant:
    """Keeps the total of all private fits on the same people under a ceiling.

    Runs compose exactly in µ (Gaussian differential privacy), which is far tighter than
    adding epsilons up. A run that would pass the ceiling is refused with ``BudgetError``
    before anything is computed. Give it to estimators as ``accountant=``, or use it as a
    context manager: every fit inside is then charged to it.

    One accountant belongs to one process: copies share it (``clone`` included), but one
    that was pickled, as for ``n_jobs=2``, refuses to spend.

    Parameters
    ----------
    epsilon, delta : float
        The ceiling. ``epsilon=inf`` only counts.
    adjacency : {"replace", "zero-out"}
        What the ceiling means. A zero-out run counts twice its µ under "replace".
    """

    def __init__(self, epsilon=math.inf, delta=1e-6, *, adjacency="replace"):
        if adjacency not in ("replace", "zero-out"):
            raise ArgumentError("adjacency must be 'replace' or 'zero-out'")
        if not 0 < delta < 1 or not epsilon > 0:
            raise ArgumentError("a ceiling needs epsilon > 0 and 0 < delta < 1")
        self.epsilon = float(epsilon)
        self.delta = float(delta)
        self.adjacency = adjacency
        self._ceiling = (
            math.inf if math.isinf(epsilon) else _account.mu_from_dp(epsilon, delta)
        )
        self._spent = []
        self._paid_models = set()
        self._detached = False
        self._lock = threading.RLock()
        self._tokens = []

    def __enter__(self):
        self._tokens.append(_current.set(self))
        return self

    def __exit__(self, *exc):
        _current.reset(self._tokens.pop())

    def __len__(self):
        """Number of charges."""
        return len(self._spent)

    def __bool__(self):
        return True

    def __repr__(self):
        return f"BudgetAccountant(epsilon={self.epsilon:g}, delta={self.delta:g}, spent={len(self)})"

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __getstate__(self):
        state = {k: v for k, v in vars(self).items() if k not in ("_lock", "_tokens")}
        return {**state, "_detached": True}

    def __setstate__(self, state):
        self.__dict__.update(state, _lock=threading.RLock(), _tokens=[])

    @property
    def mu(self):
        """µ of everything charged so far; 0 when nothing was."""
        with self._lock:
            return _account.compose_mu(*self._spent)

    def total(self, delta=None):
        """(epsilon, delta) of everything charged so far."""
        delta = self.delta if delta is None else delta
        mu = self.mu
        return Budget(_account.epsilon_from_mu(mu, delta) if mu > 0 else 0.0, delta)

    def remaining(self, n_runs=1, delta=None):
        """(epsilon, delta) that each of `n_runs` equal runs may still spend.

        ``delta`` is the one these runs will use (theirs is 1/rows², at most 1e-6, unless given); the
        default is the ceiling's.
        """
        delta = self.delta if delta is None else delta
        if math.isinf(self._ceiling):
            return Budget(math.inf, delta)
        spent = self.mu
        left = math.sqrt(max(0.0, self._ceiling**2 - spent**2) / n_runs) * (1 - 1e-12)
        if left < 1e-9:
            return Budget(0.0, delta)
        epsilon = min(1e3, _account.epsilon_from_mu(left, delta))
        # The conversion is rounded up: go back until a run of this size fits.
        while epsilon > 1e-6 and not self._fits(spent, epsilon, delta, n_runs):
            epsilon *= 1 - 1e-9
        return Budget(epsilon if epsilon > 1e-6 else 0.0, delta)

    def _fits(self, spent, epsilon, delta, n_runs):
        mus = [_account.mu_from_dp(epsilon, delta)] * n_runs
        return _account.compose_mu(*([spent] if spent > 0 else []), *mus) <= self._ceiling

    def spend(self, mu):
        """Charges a mechanism outside Tacit that is µ-GDP (``mu_from_pure`` for pure DP).

        BudgetError, and nothing charged, when the ceiling would be passed.
        """
        with self._lock:
            if self._detached:
                raise BudgetError(
                    "this accountant is a copy in another process and cannot keep count: "
                    "run with n_jobs=1"
                )
            if not mu > 0 or math.isinf(mu):
                raise BudgetError("what has no finite mu cannot be charged to a budget")
            total = _account.compose_mu(*self._spent, mu)
            if total > self._ceiling:
                left = self.remaining()
                raise BudgetError(
                    f"this run needs mu = {mu:.4g} and would pass the ceiling epsilon = "
                    f"{self.epsilon:g} at delta = {self.delta:g}: what is left allows epsilon "
                    f"= {left.epsilon:.4g} at that delta"
                )
            self._spent.append(mu)

    def charge(self, statement, init=None):
        """Charges the run of a statement; returns what ``refund`` takes.

        A run from an initial model is charged for both, unless this accountant has paid
        for that model already.
        """
        mu = statement.get("mu")
        if init is not None and statement.get("run_mu") and init.weights in self._paid_models:
            mu = statement["run_mu"]
        if mu is None:
            raise BudgetError("a run without noise cannot be charged to a budget")
        if statement["adjacency"] == "zero-out" and self.adjacency == "replace":
            mu *= 2
        self.spend(mu)
        return mu

    def refund(self, mu):
        """Takes a charge back: the run ended and let nothing out."""
        with self._lock:
            self._spent.remove(mu)

    def paid(self, model):
        """Remembers a model, so that going on from it is not charged twice."""
        self._paid_models.add(model.weights)


def accountant_for(accountant):
    """The given one, or that of the innermost ``with``; None when there is none."""
    return accountant if accountant is not None else _current.get()
