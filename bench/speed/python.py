# SPDX-License-Identifier: MIT
"""What the Python package costs on top of the C library: 1,000,000 × 128 float32.

The C path is the run itself on the same arrays, without the estimator. The two take turns, and
the best times are compared. Prints the ratio, the peak memory above the input, and how long ^C
takes to end a fit.
"""
import os
import signal
import threading
import time

import numpy as np
import tacit
from tacit import _core

ROWS, FEATURES, REPEATS = 1_000_000, 128, 5


def peak_mb():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def through_c(X, labels):
    run = _core.Run({"rows": ROWS, "features": FEATURES, "epsilon": 1.0, "row_norm": 8.0,
                     "shuffled": True, "loss": "logistic"})
    run.run((X, labels), True)
    run.finish()


def interrupted(est, X, y):
    """The seconds from the signal to the exception."""
    sent = []

    def interrupt():
        time.sleep(0.3)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    try:
        est.fit(X, y)
    except KeyboardInterrupt:
        assert not hasattr(est, "coef_")
        return time.perf_counter() - sent[0]
    raise SystemExit("the fit ended before the signal came")


def main():
    X = np.random.default_rng(0).random((ROWS, FEATURES), dtype=np.float32) - np.float32(0.5)
    y = (X[:, :5].sum(axis=1) > 0).astype(np.int64)
    labels = np.where(y > 0, 1.0, -1.0)
    est = tacit.LogisticRegression(1.0, classes=[0, 1], data_norm=8.0)
    est.fit(X[:1000], y[:1000])  # imports
    with open("/proc/self/clear_refs", "w", encoding="ascii") as reset:
        reset.write("5")
    before = peak_mb()
    times = [(seconds(lambda: through_c(X, labels)), seconds(lambda: est.fit(X, y)))
             for _ in range(REPEATS)]
    c, python = (min(column) for column in zip(*times))
    print(f"C path {c:.3f} s, Python {python:.3f} s: ratio {python / c:.3f}")
    print(f"peak of memory above the input: {peak_mb() - before:.0f} MB")
    stopped = interrupted(tacit.LogisticRegression(1.0, classes=[0, 1], passes=100), X, y)
    print(f"^C ends a fit after {stopped:.3f} s")


if __name__ == "__main__":
    main()
