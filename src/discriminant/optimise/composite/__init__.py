"""A smooth fit plus a penalty of each weight by itself: sparse weights, elastic nets, bounds and signs."""
