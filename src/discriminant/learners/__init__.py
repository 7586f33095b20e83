"""The learners: one file each, with the problem it solves, the pure rule, and the thin estimator around it."""
