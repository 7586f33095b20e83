"""Rules that visit one row after another: perceptron, pocket, Adaline."""
