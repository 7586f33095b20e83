"""Cover's and Ripley's probability that random labels are separable, and 208 rows in 60 columns among them."""

from saving import save

from discriminant import capacity
from discriminant.plots import CapacityDisplay

save(CapacityDisplay.of(point=capacity(208, 60)).figure_, "capacity")
