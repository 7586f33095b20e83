"""What may be added: zero, of(block), +. The same sums in memory, out of core and on a cluster."""
