"""What stands beside the rows (weights, offsets and the like), and what of it a wrapped learner is given.

As in scikit-learn's own meta-estimators: where metadata routing is enabled, the learner is given what it has requested
(`set_fit_request` and its kin), and what nobody requests is refused. Elsewhere weights go to a learner that takes them,
or to the last step of a pipeline that does; other metadata go to ``fit`` by their names, and to the method that scores
rows if it takes them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, _routing_enabled, process_routing
from sklearn.utils.validation import _check_method_params, has_fit_parameter

Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class LearnerMetadata:
    """Options of ``fit`` and of the method that scores rows, an entry for each row where they are by row.

    ``weight_name`` is what ``fit`` calls the weights of the rows; None for a learner that is not given any.
    """

    weight_name: str | None = "sample_weight"
    fit: Mapping[str, Any] = field(default_factory=dict)
    score: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing but weights, which every learner of ours takes."""
        return self.weight_name == "sample_weight" and not self.fit and not self.score

    def take(self, table: Any, rows: Numbers | None) -> "LearnerMetadata":
        """What stands beside some rows of a table."""
        if rows is None or not (self.fit or self.score):
            return self
        of_rows = [_check_method_params(table, options, rows) for options in (self.fit, self.score)]
        return LearnerMetadata(self.weight_name, *of_rows)

    def fit_options(self, weight: Any) -> dict[str, Any]:
        """All that ``fit`` is given beside X and y."""
        if weight is None or self.weight_name is None:
            return dict(self.fit)
        return {**self.fit, self.weight_name: weight}


WEIGHTS_ALONE = LearnerMetadata()


def scoring_method(learner: Any) -> str:
    """The method by which rows are scored; its requests speak for ``predict_log_proba`` too."""
    if hasattr(learner, "predict_proba"):
        return "predict_proba"
    return "decision_function" if hasattr(learner, "decision_function") else "predict"


def router_of(owner: Any, *callers: str) -> MetadataRouter:
    """Fit to fit, and what ``callers`` are given to the method of the learner that scores rows."""
    mapping = MethodMapping().add(caller="fit", callee="fit")
    for caller in callers:
        mapping.add(caller=caller, callee=scoring_method(owner.learner))
    router = MetadataRouter(owner=owner).add_self_request(owner)
    return router.add(learner=owner.learner, method_mapping=mapping)


def fit_metadata(owner: Any, own: Mapping[str, Any], params: Mapping[str, Any]) -> LearnerMetadata:
    """What the learner of a meta-estimator is given in ``fit``; ``own`` are the weights and groups of the owner."""
    given = {name: value for name, value in own.items() if value is not None}
    if _routing_enabled():
        routed = process_routing(owner, "fit", **given, **params)["learner"]
        options = dict(routed["fit"])
        name: str | None = "sample_weight"
        if "sample_weight" in given and options.get("sample_weight") is not given["sample_weight"]:
            name = None
        elif "sample_weight" in given:
            del options["sample_weight"]  # it is given with the rows
        return LearnerMetadata(name, options, dict(routed.get(scoring_method(owner.learner), {})))
    name = weight_name(owner.learner) if "sample_weight" in given else "sample_weight"
    return LearnerMetadata(name, dict(params), _taken_by_scoring(owner.learner, params) if params else {})


def score_metadata(owner: Any, caller: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """What the method that scores rows is given, of what ``caller`` was."""
    if _routing_enabled() and params:
        return dict(process_routing(owner, caller, **params)["learner"][scoring_method(owner.learner)])
    return dict(params)


def weight_name(learner: Any) -> str:
    """What ``fit`` calls weights; refused where it knows none, so that they are not left to be ignored."""
    if has_fit_parameter(learner, "sample_weight"):
        return "sample_weight"
    if hasattr(learner, "steps") and has_fit_parameter(learner.steps[-1][1], "sample_weight"):
        return f"{learner.steps[-1][0]}__sample_weight"
    raise ValueError(
        f"{type(learner).__name__} takes no sample_weight; leave the weights out, or take a learner that has them"
    )


def _taken_by_scoring(learner: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    if hasattr(learner, "steps"):  # a pipeline takes anything, and gives it to its last step
        learner = learner.steps[-1][1]
    taken = signature(getattr(learner, scoring_method(learner))).parameters
    return {name: value for name, value in params.items() if name in taken}
