"""The losses side by side, and their slopes: what pulls at a row, and how hard."""

from saving import save

from discriminant.plots import LossesDisplay

save(LossesDisplay.of().figure_, "losses")
