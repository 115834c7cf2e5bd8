# SPDX-License-Identifier: MIT
"""scikit-learn's own checks, every one of them, for every estimator."""
import warnings

import pytest
import tacit
from sklearn.utils.estimator_checks import parametrize_with_checks

# Checks that are expected to fail, with the reason, as in the documentation. If one of them
# passes, that is a failure here.
EXPECTED = {
    "check_fit_score_takes_y": "calls partial_fit after fit: rows after the last of a stream "
    "are refused, because they would be another expense on the same people",
}

ESTIMATORS = [
    cls(epsilon=1e3, on_leak="ignore", random_state=0)
    for cls in (
        tacit.HuberRegressor,
        tacit.LinearRegression,
        tacit.LinearSVC,
        tacit.LogisticRegression,
        tacit.PoissonRegressor,
        tacit.QuantileRegressor,
        tacit.Ridge,
    )
] + [tacit.BoundsScaler()]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn(estimator, check):
    name = getattr(check, "func", check).__name__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name not in EXPECTED or isinstance(estimator, tacit.BoundsScaler):
            check(estimator)
            return
        with pytest.raises(tacit.StateError, match="complete"):
            check(estimator)
