"""Learners by name, in words."""

TEXTS = {
    "fisher": "Fisher's discriminant",
    "lda": "Linear discriminant analysis",
    "lda-shrinkage": "LDA with shrinkage",
    "least-squares": "Least squares",
    "naive-bayes": "Naive Bayes (Gaussian)",
    "bernoulli-naive-bayes": "Naive Bayes (Bernoulli)",
    "logistic": "Logistic regression",
    "logistic-ridge": "Ridge logistic regression",
    "svm": "Support vector machine",
    "hard-margin": "Maximal-margin plane",
    "perceptron": "Averaged perceptron",
    "pocket": "Pocket perceptron",
    "adaline": "Adaline",
}
