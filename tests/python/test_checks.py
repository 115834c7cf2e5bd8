# SPDX-License-Identifier: MIT
"""scikit-learn's own checks, every one of them, for every estimator."""
import warnings

import pytest
import tacit
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

# Checks that are expected to fail, with the reason, as in the documentation. If one of them
# passes, that is a failure here.
EXPECTED = {
    "check_fit_score_takes_y": "calls partial_fit after fit: rows after the last of a stream "
    "are refused, because they would be another expense on the same people",
    "check_sample_weights_invariance": "the total of the weights is one more number of round 0, "
    "so even weights of one have other noise; without round 0 they have not (test_weights.py)",
    "check_sample_weights_invariance zeros": "a row of weight 0 adds nothing but still counts in "
    "the number of rows, which is public",
    "check_sample_weight_equivalence_on_dense_data": "likewise, and a row of weight 2 is one row",
    "check_sample_weight_equivalence_on_sparse_data": "likewise",
    "check_all_zero_sample_weights_error": "that all weights are 0 is a fact about the records, "
    "which a fit must not tell by failing",
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


def name_of(check):
    kind = getattr(check, "keywords", {}).get("kind")
    return getattr(check, "func", check).__name__ + (" zeros" if kind == "zeros" else "")


def test_the_list_of_failures_has_checks_that_run():
    """A check that is not in this version of scikit-learn may be in another."""
    generate = getattr(estimator_checks, "estimator_checks_generator", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = {name_of(check) for estimator in ESTIMATORS for _, check in
               (generate(estimator) if generate is not None
                else estimator_checks.check_estimator(estimator, generate_only=True))}
    there = {name for name in EXPECTED if hasattr(estimator_checks, name.split()[0])}
    assert there <= run and len(there) >= 3


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn(estimator, check):
    name = name_of(check)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name not in EXPECTED or isinstance(estimator, tacit.BoundsScaler):
            check(estimator)
            return
        refuses = name == "check_fit_score_takes_y"
        with pytest.raises(tacit.StateError if refuses else AssertionError,
                           match="complete" if refuses else None):
            check(estimator)
