"""Feature maps of kernels written out: z(a).z(b) = k(a, b) exactly, or on average over random draws.

1. `exact` gives the finite map of a kernel that is linear in numbers or in indicators of levels, where there is one.
2. `sampled` draws independent features u with E[u(a) u(b)] = k(a, b), by `fourier` (frequencies of stationary kernels)
   and `levels` (random values of levels); those of sums, products and power series come from those of their parts.
3. `build` puts both together for any kernel expression; `draws` keeps what was drawn, so that a map can be stored.
"""
