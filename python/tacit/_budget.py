# SPDX-License-Identifier: MIT
"""A budget over many fits on the data of the same people."""
from __future__ import annotations

import json
import math
import os
import secrets
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from multiprocessing import parent_process
from types import FrameType
from typing import Any, NamedTuple, Self, TypeAlias

from tacit import _account, _core, _data
from tacit._core import ArgumentError, BudgetError, PrivacyError
from tacit._show import told
from tacit._types import Callbacks, Facts, Path, Progress

# State of the process. All accountants share one lock: a run is charged to all or to none.
_lock = threading.RLock()
_open: list[BudgetAccountant] = []  # accountants whose ``with`` is open, outermost first
_alive: weakref.WeakValueDictionary[str, BudgetAccountant] = weakref.WeakValueDictionary()  # by name: pickles that stay in the process
_start = secrets.token_hex(16)
# Environment variable that tells processes started while an accountant is open whose it is.
_MARK = "TACIT_ACCOUNTANT"
_COMMON = "ledger:"  # before the name of a process where only ledgers keep count
_outer_mark: str | None = None  # what the variable was before
_free_runs = 0  # private runs that no accountant counted
_warned = False


def _process() -> str:
    """A name of this process; a forked child has another."""
    return f"{os.getpid()}-{_start}"


def _unlock_in_child() -> None:
    global _lock
    _lock = threading.RLock()  # another thread may have held it


os.register_at_fork(after_in_child=_unlock_in_child)


def _in_worker() -> bool:
    """Whether this is a child process of multiprocessing or joblib. It may be older than an
    accountant of its parent, or outlive it, so it must have one of its own."""
    return parent_process() is not None


def _open_here() -> list[BudgetAccountant]:
    """The open accountants, outermost first, less those that a worker inherited and that cannot
    count in it."""
    return [keeper for keeper in _open if not _in_worker() or keeper._counts_here()]


def _mark() -> None:
    """Tells processes that are started now whether an accountant is open that cannot count there."""
    global _outer_mark
    before = os.environ.get(_MARK)
    if before is None or before.removeprefix(_COMMON) != _process():
        _outer_mark = before
    keepers = _open_here()
    common = all(keeper._everywhere for keeper in keepers)
    mark = (_COMMON if common else "") + _process() if keepers else _outer_mark
    if mark is None:
        os.environ.pop(_MARK, None)
    else:
        os.environ[_MARK] = mark


def _check_process(keepers: Sequence[BudgetAccountant], given: Accountant | None = None) -> None:
    """Raises BudgetError in a process where none of these can count what the accountants of other
    processes should. `given`: the one that the user names for this."""
    if _in_worker():
        if any(not keeper._counts_here() and keeper not in keepers for keeper in _open):
            # An inherited ledger does not stand for the others that were open with it.
            keepers = [keeper for keeper in keepers if keeper._made_here() or keeper._is(given)]
        if not keepers:
            raise BudgetError(_WORKER)
        return
    mark = os.environ.get(_MARK, _process())
    if mark.removeprefix(_COMMON) == _process():
        return
    if mark.startswith(_COMMON) and any(keeper._everywhere for keeper in keepers):
        return
    raise BudgetError(
        "this process was started while an accountant was open in another process, which "
        "cannot keep count here: fit there, with n_jobs=1 or in threads"
    )


_WORKER = (
    "this is a worker process, where an accountant of another process cannot keep count: give "
    "accountant=BudgetAccountant(ledger=…, dataset=…), which counts in all processes, or make the "
    "accountant in this process; data sets of different people need accountant=tacit.UNCOUNTED"
)


class PrivacyWarning(UserWarning):
    """Something spends more privacy than is apparent."""


class Budget(NamedTuple):
    """An (epsilon, delta) guarantee."""

    epsilon: float
    delta: float


class _Uncounted:
    def __repr__(self) -> str:
        return "tacit.UNCOUNTED"

    def __reduce__(self) -> str:
        return "UNCOUNTED"  # copies and pickles are the object itself


#: ``accountant=UNCOUNTED``: no accountant counts the run, since none is about its people.
UNCOUNTED = _Uncounted()


class BudgetAccountant:
    """Keeps the total of all private fits on the same people under a ceiling.

    Runs compose exactly in µ (Gaussian differential privacy), which is far tighter than
    adding epsilons. A run that would exceed the ceiling is refused with ``BudgetError``
    before anything is computed, and so is a run that is not private: it has no µ. Give the
    accountant to estimators as ``accountant=``, or use it as a context manager: every fit of
    the process is then charged to it, in other threads too. A fit is charged to every open
    accountant and to its own.

    The charge is made before the run begins. It is refunded only if the run ends before any
    noise is drawn.

    An accountant belongs to one process, where its copies (``clone`` included) are the same
    accountant. In any other process, a forked one too, it refuses every charge. In a worker
    process of multiprocessing or joblib every fit needs an accountant of a ledger, or one that
    was made there. While an accountant is open, fits are also refused in other processes that
    are started, and for estimators that are sent to another process. ``accountant=UNCOUNTED``
    is for data about other people than those of any accountant: such a run is not counted.

    A budget is for persons or for rows: a row that changes its id changes two persons, and a
    person has many rows, so the two do not add up. The first charge decides, unless ``unit``
    does; a run of the other kind (``groups=`` or not) is then refused. So is a stream that
    protects a person on one day only. In the same way a budget is for sets of rows, or also for
    runs that protect rows in their places (``partial_fit``), as the first charge or ``in_place``
    says.

    With ``ledger=`` the count is kept in a ledger of ``tacit ledger``, for all processes and
    machines that use it, and the accountant works in every process. The ceiling, adjacency
    and unit are those of the data set there: a data set for persons takes fits with
    ``groups=`` only, one for rows takes the others.

    Parameters
    ----------
    epsilon, delta : float
        The ceiling. ``epsilon=inf`` only counts. Not with a ledger.
    adjacency : {"replace", "zero-out"}
        What the ceiling means. A zero-out run counts twice its µ under "replace".
    unit : {"person", "row"}, optional
        Whom the ceiling protects. Not with a ledger.
    in_place : bool, optional
        Whether runs that protect rows in their places only are taken. Not with a ledger.
    ledger, dataset : str
        A ledger (file, or ``postgresql://…``) and the data set in it.
    """

    def __new__(cls, *args: Any, ledger: Path | None = None, **options: Any) -> Any:
        if ledger is not None and cls is BudgetAccountant:
            from tacit._ledger import LedgerAccountant

            return super().__new__(LedgerAccountant)
        return super().__new__(cls)

    def __init__(self, epsilon: float = math.inf, delta: float = 1e-6, *, adjacency: str = "replace",
                 unit: str | None = None, in_place: bool | None = None, ledger: Path | None = None,
                 dataset: str | None = None) -> None:
        if ledger is not None:
            raise ArgumentError("only BudgetAccountant itself takes a ledger, not a class made from it")
        if dataset is not None:
            raise ArgumentError("dataset names a data set of a ledger: give ledger= too")
        if adjacency not in ("replace", "zero-out"):
            raise ArgumentError("adjacency must be 'replace' or 'zero-out'")
        if unit not in (None, "person", "row"):
            raise ArgumentError("unit must be 'person' or 'row'")
        if in_place not in (None, True, False):
            raise ArgumentError("in_place must be True or False")
        if not 0 < delta < 1 or not epsilon > 0:
            raise ArgumentError("a ceiling needs epsilon > 0 and 0 < delta < 1")
        self.epsilon = float(epsilon)
        self.delta = float(delta)
        self.adjacency = adjacency
        self.unit, self.in_place = unit, in_place  # None: as the first charge decides
        self._given = unit, in_place
        self._ceiling = (
            math.inf if math.isinf(epsilon) else _account.mu_from_dp(epsilon, delta)
        )
        self._spent: list[float] = []
        self._paid_models: set[bytes] = set()
        self._home: str | None = _process()
        self._name = secrets.token_hex(16)
        _alive[self._name] = self

    def __enter__(self) -> Self:
        with _lock:
            keepers: list[BudgetAccountant] = [*_open_here(), self]
            for keeper in keepers:
                keeper._check_home()
            _check_process([self], self)
            _open.append(self)
            _mark()
        return self

    def __exit__(self, *exc: Any) -> None:
        with _lock:
            last = max(i for i, keeper in enumerate(_open) if keeper is self)
            del _open[last]
            _mark()

    def __len__(self) -> int:
        """Number of charges."""
        return len(self._spent)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"BudgetAccountant(epsilon={self.epsilon:g}, delta={self.delta:g}, spent={len(self)})"

    def _repr_html_(self) -> str:
        mu = self.mu
        share = 0 if math.isinf(self._ceiling) else mu / self._ceiling
        spent = self.total()
        return (f"<div>{len(self)} charges: epsilon {spent.epsilon:.4g} of {self.epsilon:.4g} at delta "
                f"{spent.delta:.4g} <meter value='{share:.4f}'></meter></div>")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        facts = {name: getattr(self, name) for name in
                 ("epsilon", "delta", "adjacency", "unit", "in_place", "_ceiling", "_spent", "_home",
                  "_name")}
        return (_thaw, (type(self), facts))

    def _check_home(self) -> None:
        if not self._counts_here():
            raise BudgetError(
                _WORKER if _in_worker() else
                "this accountant belongs to another process and cannot keep count here: fit in "
                "the process that made it, with n_jobs=1 or in threads"
            )

    @property
    def mu(self) -> float:
        """The µ of everything charged so far; 0 if nothing was charged."""
        self._check_home()
        with _lock:
            return _account.compose_mu(*self._spent)

    def total(self, delta: float | None = None) -> Budget:
        """The (epsilon, delta) of everything charged so far."""
        delta = self.delta if delta is None else delta
        mu = self.mu
        return Budget(_account.epsilon_from_mu(mu, delta) if mu > 0 else 0.0, delta)

    def remaining(self, n_runs: int = 1, delta: float | None = None) -> Budget:
        """The (epsilon, delta) that each of `n_runs` equal runs may still spend.

        ``delta`` is the delta of these runs, by default that of the ceiling. (Runs use
        1/rows², at most 1e-6, unless they are given another.)
        """
        delta = self.delta if delta is None else delta
        spent = self.mu
        if math.isinf(self._ceiling):
            return Budget(math.inf, delta)
        left = math.sqrt(max(0.0, self._ceiling**2 - spent**2) / n_runs) * (1 - 1e-12)
        if left < 1e-9:
            return Budget(0.0, delta)
        epsilon = min(1e3, _account.epsilon_from_mu(left, delta))
        # The conversion is rounded up: reduce epsilon until a run of this size fits.
        while epsilon > 1e-6 and not self._fits(spent, epsilon, delta, n_runs):
            epsilon *= 1 - 1e-9
        return Budget(epsilon if epsilon > 1e-6 else 0.0, delta)

    def _fits(self, spent: float, epsilon: float, delta: float, n_runs: int) -> bool:
        mus = [_account.mu_from_dp(epsilon, delta)] * n_runs
        return _account.compose_mu(*([spent] if spent > 0 else []), *mus) <= self._ceiling

    def spend(self, mu: float) -> None:
        """Charges a mechanism outside Tacit that is µ-GDP (``mu_from_pure`` for pure DP).

        If the ceiling would be exceeded, raises BudgetError and charges nothing. The mechanism
        protects what this accountant is for: rows, if nothing has decided it.
        """
        if not mu > 0 or math.isinf(mu):
            raise BudgetError("what has no finite mu cannot be charged to a budget")

        unit = self.unit or "row"

        def cost(keeper: BudgetAccountant) -> float:
            return keeper._cost_of((mu, self.adjacency == "zero-out", unit == "person"), unit)

        _settle(_reserve(self, cost, "spend", None, unit=unit))

    def charge(self, statement: Facts, init: Any = None) -> None:
        """Charges the run of a statement, such as one of the command line.

        A run with an initial model is charged for both, unless this accountant was already
        charged for that model.
        """
        _settle(_reserve(self, lambda keeper: keeper._cost(statement, init), "charge",
                         statement))

    # What a ledger does otherwise.

    _everywhere = False  # whether it counts in every process
    _named = "this accountant"  # in messages

    def _counts_here(self) -> bool:
        return self._home == _process()

    def _made_here(self) -> bool:
        """Whether this process made it, not one that was forked."""
        return self._counts_here()

    def _is(self, other: object) -> bool:
        """Whether both are the same accountant."""
        return self is other

    def _take(self, mu: float, kind: str, statement: Facts | None, unit: str) -> Any:
        """Charges; the receipt is for the calls below."""
        self.unit = unit
        if statement is not None and self.in_place is None:
            self.in_place = not _is_of_sets(statement)
        self._spent.append(mu)
        return mu

    def _give_back(self, receipt: Any) -> None:
        self._spent.remove(receipt)
        if not self._spent:  # a charge that is not there decides nothing
            self.unit, self.in_place = self._given

    def _settle(self, receipt: Any) -> None:
        """The run has ended well."""

    def _cost(self, statement: Facts, init: Any) -> float:
        """The mu that a run costs this budget."""
        run = dict(statement)
        # The counts behind a schema are charged again: run_mu is without them.
        paid = init is not None and init.weights in self._paid_models
        if paid and run.get("run_mu") and "description" not in run:
            run.update(epsilon=run["run_epsilon"], mu=run["run_mu"], init=None, run_epsilon=None,
                       run_mu=None)
        in_place = not _is_of_sets(statement) if self.in_place is None else self.in_place
        return self._cost_of(json.dumps(run), _unit_of(statement), in_place, statement["reasons"])

    def _cost_of(self, run: str | tuple[float, bool, bool], unit: str, in_place: bool = False,
                 reasons: Sequence[str] = ()) -> float:
        persons = (self.unit or unit) == "person"
        try:
            return _core.ledger_cost(self._named, run, self.adjacency == "zero-out", persons,
                                     in_place)
        except (ArgumentError, PrivacyError) as error:
            raise BudgetError("; ".join([str(error), *reasons])) from None

    def _check_room(self, mu: float) -> None:
        if _account.compose_mu(*self._spent, mu) <= self._ceiling:
            return
        left = self.remaining()
        raise BudgetError(
            f"this run needs mu = {mu:.4g} and would pass the ceiling epsilon = "
            f"{self.epsilon:g} at delta = {self.delta:g}: what is left allows epsilon "
            f"= {left.epsilon:.4g} at that delta"
        )


# The accountant of a run, or UNCOUNTED. Charges that were made, with their receipts.
Accountant: TypeAlias = BudgetAccountant | _Uncounted
Charges: TypeAlias = list[tuple[BudgetAccountant, Any]]


def _unit_of(statement: Facts) -> str:
    return "person" if "units" in statement else "row"


def _is_of_sets(statement: Facts) -> bool:
    return bool(statement.get("as_sets", False))


def _thaw(cls: type[BudgetAccountant], facts: Facts) -> BudgetAccountant:
    """Unpickles an accountant: the same one in its own process, elsewhere one that refuses."""
    if facts["_home"] == _process() and facts["_name"] in _alive:
        return _alive[facts["_name"]]
    keeper: BudgetAccountant = cls.__new__(cls)
    vars(keeper).update(facts, _home="another process", _paid_models=set())
    return keeper


def _reserve(accountant: Accountant | None, cost: Callable[[BudgetAccountant], float], kind: str,
             statement: Facts | None, paid: Sequence[BudgetAccountant] = (),
             unit: str | None = None) -> Charges:
    """Charges the given accountant and all open ones, or none. Returns [(accountant, receipt), …].
    `paid`: accountants that were charged already. `unit`: of what has no statement."""
    if isinstance(accountant, _Uncounted):
        return []
    with _lock:
        keepers, known = [], list(paid)
        for keeper in (*_open_here(), accountant):
            if keeper is not None and not any(keeper._is(other) for other in known):
                keeper._check_home()
                keepers.append(keeper)
                known.append(keeper)
        _check_process(known, accountant)
        charges = [(keeper, cost(keeper)) for keeper in keepers]
        for keeper, mu in charges:
            keeper._check_room(mu)
        taken: Charges = []
        unit = unit or _unit_of(statement or {})
        try:
            for keeper, mu in charges:
                taken.append((keeper, keeper._take(mu, kind, statement, unit)))
        except BaseException:
            for keeper, receipt in taken:
                keeper._give_back(receipt)
            raise
    return taken


def _settle(charges: Charges) -> None:
    for keeper, receipt in charges:
        keeper._settle(receipt)


def _refund(charges: Charges) -> None:
    with _lock:
        for keeper, receipt in charges:
            keeper._give_back(receipt)


def open_accountant() -> BudgetAccountant | None:
    """An accountant whose ``with`` is open, or None: the innermost that counts in this process
    only, if there is one."""
    keepers = sorted(_open_here(), key=lambda keeper: not keeper._everywhere)
    return keepers[-1] if keepers else None


def sent_to(keeper: BudgetAccountant | None) -> BudgetAccountant | None:
    """The accountant for an unpickled estimator, where `keeper` was open when it was pickled:
    None in the process of `keeper`, where open accountants are charged anyway."""
    return None if keeper is None or keeper._home == _process() else keeper


def charge_stream(statement: Facts, accountant: Accountant | None, paid: list[BudgetAccountant]) -> None:
    """Charges all open accountants and the given one for all days of a stream, less those in `paid`,
    and adds them to it. Nothing is given back: a stream is not seen to end."""
    charges = _reserve(accountant, lambda keeper: keeper._cost(statement, None), "stream", statement,
                       paid)
    paid += [keeper for keeper, _ in charges]
    _settle(charges)


class ReleaseExpense:
    """The cost of one release; its two methods are what ``_core.evaluate`` and ``_core.infer`` call."""

    def __init__(self, accountant: Accountant | None, kind: str = "eval") -> None:
        self._accountant = accountant
        self._kind = kind
        self._charges: Charges = []

    def reserve(self, statement: str) -> None:
        facts: Facts = json.loads(statement)
        self._charges = _reserve(self._accountant, lambda keeper: keeper._cost(facts, None), self._kind,
                                 facts)

    def failed(self, drawn: int) -> None:
        if not drawn:
            _refund(self._charges)

    def paid(self) -> None:
        _settle(self._charges)


class Expense:
    """The cost of one run, reserved before it begins."""

    def __init__(self, settings: Facts, accountant: Accountant | None) -> None:
        self._settings = settings
        self._run: _core.Run | None = None
        self._settled = False
        for name in ("epsilon", "delta"):
            if isinstance(settings.get(name), str):
                raise ArgumentError(f"{name} must be a number, not text: write {name}={settings[name]}")
        _, plan, _, statement = _core.plan(settings)
        self.plan, self.statement = json.loads(plan), json.loads(statement)
        self._accountant = accountant
        self._charges: Charges = []
        self.count()
        self._is_free = (not self._charges and accountant is not UNCOUNTED
                         and self.statement["private"])
        if self._is_free:
            _count_free_run(settings)
        elif "seed" in settings and _called_from("sklearn.ensemble"):
            _data.warn(
                "ensembles of scikit-learn set random_state, so their models are not private: "
                "noise from a seed can be taken off", PrivacyWarning)

    def count(self) -> None:
        """Charges those accountants that have not been: a run may go on after one was opened."""
        init = self._settings.get("init")
        self._charges += _reserve(
            self._accountant, lambda keeper: keeper._cost(self.statement, init), "train",
            self.statement, [keeper for keeper, _ in self._charges])

    def begin(self, progress: Progress | None = None, verbose: bool = False,
              callbacks: Callbacks = None) -> _core.Run:
        """The run, which shows a bar or calls functions after every round, if asked to."""
        try:
            self._run = _core.Run(self._settings, told(progress, verbose, callbacks))
        except BaseException:
            self.failed()
            raise
        return self._run

    def failed(self) -> None:
        """The run ended without a model. Its charge is refunded if no noise was drawn; a later
        failure may depend on what was released."""
        global _free_runs
        # A resumed run draws noise in its constructor.
        drawn = self._settings.get("resume") if self._run is None else self._run.end()
        if drawn or self._settled:
            return
        self._settled = True
        _refund(self._charges)
        with _lock:
            _free_runs -= self._is_free

    def paid(self, model: _core.Model) -> None:
        """Remembers the model of the run, so that a run that starts from it is not charged for it."""
        self._settled = True
        _settle(self._charges)
        with _lock:
            for keeper, _ in self._charges:
                keeper._paid_models.add(model.weights)


def _count_free_run(settings: Facts) -> None:
    global _free_runs, _warned
    if _called_from("sklearn.model_selection", "_fit_and_score"):
        _data.warn(
            f"each fit of a search or cross-validation spends its own epsilon = "
            f"{settings.get('epsilon')} on the same people: give "
            "accountant=BudgetAccountant(…) to keep the total", PrivacyWarning)
    elif _free_runs > 0 and not _warned:
        _warned = True
        _data.warn(
            "this is the second private fit of the process, and no BudgetAccountant counts: on "
            "the same people budgets add up. Fit inside `with tacit.BudgetAccountant(…):` to "
            "keep the total", PrivacyWarning)
    with _lock:
        _free_runs += 1


def _called_from(module: str, function: str | None = None) -> bool:
    """Whether a function of this module, or of one below it, is among the callers."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith(module) and function in (None, frame.f_code.co_name):
            return True
        frame = frame.f_back
    return False
