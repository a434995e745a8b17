// The inner solver of smo.hpp: pairwise descent on a small block whose Gram matrix sits in cache.
//
// min over b in the block: 1/2 b'Kb + g0'(b - b0) + sum e|b|, lower <= b <= upper, the sum of b over each group kept.
// Pairs by second-order gain (Fan, Chen and Lin 2005, WSS 3). One iteration is two sweeps over the block: the first
// scores the partners of i, the second updates the gradient and finds the next i on the way.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "mercer/lanes.hpp"

namespace mercer {

struct Pick {
    std::int64_t index = -1;
    double value = 0.0;
};

template <class T>
class SmoBlock {
    using Vec = typename Lanes<T>::Vec;
    using Index = typename Lanes<T>::Index;
    using Wide = typename Lanes<T>::Wide;
    using Int = typename Lanes<T>::Int;
    static constexpr std::int64_t W = kVectorBytes / sizeof(T);

public:
    static constexpr double kTau = 1e-12;  // floor of the curvature: an indefinite kernel still makes finite steps

    std::vector<double> beta, lower, upper, tube;  // size q
    AlignedBuffer<T> gram, up, low, diag;          // gram is q_pad x q_pad; up/low: offsets, +-inf where not movable
    AlignedBuffer<double> exact;                   // the gradient; in double, since float loses it over 10^5 steps
    AlignedBuffer<T> grad;                         // its rounded copy, which the partner sweep reads
    std::int64_t q = 0, q_pad = 0, stride = 0, split = 0;  // variables [0, split) and [split, q) are separate groups

    void resize(std::int64_t count) {
        q = count;
        q_pad = (count + W - 1) / W * W;
        stride =
            q_pad + 64 / static_cast<std::int64_t>(sizeof(T));  // a power of two would put a column in one cache set
        beta.resize(q);
        lower.resize(q);
        upper.resize(q);
        tube.resize(q);
        gram.resize(static_cast<std::size_t>(q_pad) * stride);
        grad.resize(q_pad);
        exact.resize(q_pad);
        up.resize(q_pad);
        low.resize(q_pad);
        diag.resize(q_pad);
        for (std::int64_t k = q; k < q_pad; ++k) {
            grad[k] = 0;
            exact[k] = 0;
            diag[k] = 1;
            up[k] = std::numeric_limits<T>::infinity();
            low[k] = -std::numeric_limits<T>::infinity();
        }
    }

    void set(std::int64_t k, double start, double lo, double hi, double e, double gradient) {
        beta[k] = start;
        lower[k] = lo;
        upper[k] = hi;
        tube[k] = e;
        exact[k] = gradient;
        grad[k] = static_cast<T>(gradient);
        refresh(k);
    }

    void refresh(std::int64_t k) {
        const T inf = std::numeric_limits<T>::infinity();
        const double e = tube[k];
        up[k] = beta[k] >= upper[k] ? inf : static_cast<T>(beta[k] >= 0.0 ? e : -e);
        low[k] = beta[k] <= lower[k] ? -inf : static_cast<T>(beta[k] > 0.0 ? e : -e);
    }

    // Returns the number of pair steps done; stops when every group's violation is at most `tol`.
    std::int64_t solve(double tol, std::int64_t max_steps) {
        std::int64_t steps = 0;
        const bool two = split > 0 && split < q;
        Pick next = two ? Pick{} : best_up(0, q_pad);
        for (; steps < max_steps; ++steps) {
            Pick i, j;
            if (!two) {
                i = next;
                if (i.index < 0) break;
                j = best_partner(i, 0, q, tol);
                if (j.index < 0) break;
            } else if (!two_group_pair(tol, i, j)) {
                break;
            }
            const double step = pair_step(i.index, j.index);
            next = update(i.index, j.index, step);
        }
        return steps;
    }

    // No equality constraint: one coordinate at a time, the one of largest second-order gain.
    std::int64_t solve_free(double tol, std::int64_t max_steps) {
        std::int64_t steps = 0;
        Pick next = advance_free(0, 0.0, tol);
        for (; steps < max_steps && next.index >= 0; ++steps) {
            const std::int64_t k = next.index;
            const double rise = -(exact[k] + double(up[k])), fall = exact[k] + double(low[k]);
            const double slope = rise > fall ? rise : -fall;
            const double target = clip_to_piece(k, beta[k] + slope / std::max(double(diag[k]), kTau), slope > 0);
            const double step = target - beta[k];
            beta[k] = target;
            refresh(k);
            next = advance_free(k, step, tol);
        }
        return steps;
    }

private:
    // A move may not cross a bound nor the kink of e|b| at zero.
    double clip_to_piece(std::int64_t k, double target, bool rising) const {
        if (rising) {
            target = std::min(target, upper[k]);
            if (tube[k] > 0.0 && beta[k] < 0.0) target = std::min(target, 0.0);
        } else {
            target = std::max(target, lower[k]);
            if (tube[k] > 0.0 && beta[k] > 0.0) target = std::max(target, 0.0);
        }
        return target;
    }

    double pair_step(std::int64_t i, std::int64_t j) {
        const double slope = (exact[j] + double(low[j])) - (exact[i] + double(up[i]));
        double curve = double(diag[i]) + double(diag[j]) - 2.0 * double(gram[i * stride + j]);
        if (curve < kTau) curve = kTau;
        double step = slope / curve;
        const double top = clip_to_piece(i, std::numeric_limits<double>::infinity(), true);
        const double bottom = clip_to_piece(j, -std::numeric_limits<double>::infinity(), false);
        const double room_i = top - beta[i], room_j = beta[j] - bottom;
        if (step >= std::min(room_i, room_j)) step = std::min(room_i, room_j);
        // land exactly on the bound, so that rounding never leaves a variable a hair inside it
        beta[i] = step >= room_i ? top : beta[i] + step;
        beta[j] = step >= room_j ? bottom : beta[j] - step;
        refresh(i);
        refresh(j);
        return step;
    }

    // Lane by lane without branches: the extreme value first, then the smallest index that attains it.
    static Pick reduce(Vec best, Index where, bool largest) {
        T extreme = best[0];
        for (std::int64_t w = 1; w < W; ++w)
            extreme = largest ? (best[w] > extreme ? best[w] : extreme) : (best[w] < extreme ? best[w] : extreme);
        Int first = std::numeric_limits<Int>::max();
        for (std::int64_t w = 0; w < W; ++w) {
            const Int candidate = best[w] == extreme && where[w] >= 0 ? where[w] : std::numeric_limits<Int>::max();
            first = candidate < first ? candidate : first;
        }
        if (first == std::numeric_limits<Int>::max()) return Pick{};
        return Pick{first, double(extreme)};
    }

    static Index lane_numbers() {
        Index lane;
        for (std::int64_t w = 0; w < W; ++w) lane[w] = static_cast<Int>(w);
        return lane;
    }

    Pick best_up(std::int64_t begin, std::int64_t end) {
        Pick pick;
        double best = std::numeric_limits<double>::infinity();
        for (std::int64_t k = begin; k < end; ++k) {
            const double value = exact[k] + double(up[k]);
            if (value < best) {
                best = value;
                pick.index = k;
                pick.value = value;
            }
        }
        return pick;
    }

    // The partner of largest gain d^2 / (K_ii + K_jj - 2 K_ij) among those whose violation d exceeds tol for some j.
    Pick best_partner(const Pick& i, std::int64_t begin, std::int64_t end, double tol) {
        if (begin != 0 || end != q) return best_partner_scalar(i, begin, end, tol);
        const Vec* g = reinterpret_cast<const Vec*>(grad.get());
        const Vec* off = reinterpret_cast<const Vec*>(low.get());
        const Vec* dg = reinterpret_cast<const Vec*>(diag.get());
        const Vec* row = reinterpret_cast<const Vec*>(gram.get() + i.index * stride);
        const T kii = diag[i.index], m = static_cast<T>(i.value);
        const Vec zero = Vec{} + T(0), tau = Vec{} + static_cast<T>(kTau);
        Vec best = zero, widest = zero;
        Index where = Index{} - 1, cursor = lane_numbers();
        for (std::int64_t v = 0; v < q_pad / W; ++v) {
            Vec d = g[v] + off[v] - m;
            d = select(d > zero, d, zero);
            Vec curve = (dg[v] + kii) - (row[v] + row[v]);
            curve = select(curve > tau, curve, tau);
            const Vec gain = d * d / curve;
            const Index better = gain > best;
            best = select(better, gain, best);
            where = select(better, cursor, where);
            widest = select(d > widest, d, widest);
            cursor += static_cast<Int>(W);
        }
        T top = 0;
        for (std::int64_t w = 0; w < W; ++w) top = std::max(top, widest[w]);
        if (!(double(top) > tol)) return Pick{};
        return reduce(best, where, true);
    }

    Pick best_partner_scalar(const Pick& i, std::int64_t begin, std::int64_t end, double tol) {
        Pick pick;
        double widest = 0.0;
        const T* row = gram.get() + i.index * stride;
        for (std::int64_t k = begin; k < end; ++k) {
            const double d = exact[k] + double(low[k]) - i.value;
            if (!(d > 0.0)) continue;
            widest = std::max(widest, d);
            const double gain = d * d / std::max(double(diag[i.index]) + double(diag[k]) - 2.0 * double(row[k]), kTau);
            if (gain > pick.value) {
                pick.value = gain;
                pick.index = k;
            }
        }
        return widest > tol ? pick : Pick{};
    }

    // Two groups (the nu problems): the better of each group's own best pair.
    bool two_group_pair(double tol, Pick& i, Pick& j) {
        double best = 0.0;
        for (int side = 0; side < 2; ++side) {
            const std::int64_t begin = side ? split : 0, end = side ? q : split;
            const Pick a = best_up(begin, end);
            if (a.index < 0) continue;
            const Pick b = best_partner_scalar(a, begin, end, tol);
            if (b.index >= 0 && b.value > best) {
                best = b.value;
                i = a;
                j = b;
            }
        }
        return best > 0.0;
    }

    static Vec advance(Wide* g, std::int64_t v, double step, Vec difference) {
        if constexpr (sizeof(T) == sizeof(double)) {
            g[v] += step * difference;
            return g[v];
        } else {
            const Wide a = g[2 * v] + step * widened(difference, 0);
            const Wide b = g[2 * v + 1] + step * widened(difference, 1);
            g[2 * v] = a;
            g[2 * v + 1] = b;
            return narrowed(a, b);
        }
    }

    // The gradient after a step of variable i, and the next variable: none when no slope exceeds tol.
    Pick advance_free(std::int64_t i, double step, double tol) {
        Wide* g = reinterpret_cast<Wide*>(exact.get());
        const Vec* ups = reinterpret_cast<const Vec*>(up.get());
        const Vec* lows = reinterpret_cast<const Vec*>(low.get());
        const Vec* dg = reinterpret_cast<const Vec*>(diag.get());
        const Vec* row = reinterpret_cast<const Vec*>(gram.get() + i * stride);
        const Vec zero = Vec{} + T(0), tau = Vec{} + static_cast<T>(kTau);
        Vec best = zero, steepest = zero;
        Index where = Index{} - 1, cursor = lane_numbers();
        for (std::int64_t v = 0; v < q_pad / W; ++v) {
            const Vec now = advance(g, v, step, row[v]), rise = zero - (now + ups[v]), fall = now + lows[v];
            Vec slope = select(rise > fall, rise, fall);
            slope = select(slope > zero, slope, zero);
            const Vec gain = slope * slope / select(dg[v] > tau, dg[v], tau);
            const Index better = gain > best;
            best = select(better, gain, best);
            where = select(better, cursor, where);
            steepest = select(slope > steepest, slope, steepest);
            cursor += static_cast<Int>(W);
        }
        T top = 0;
        for (std::int64_t w = 0; w < W; ++w) top = std::max(top, steepest[w]);
        return double(top) > tol ? reduce(best, where, true) : Pick{};
    }

    Pick update(std::int64_t i, std::int64_t j, double step) {
        Vec* rounded = reinterpret_cast<Vec*>(grad.get());
        Wide* g = reinterpret_cast<Wide*>(exact.get());
        const Vec* off = reinterpret_cast<const Vec*>(up.get());
        const Vec* ri = reinterpret_cast<const Vec*>(gram.get() + i * stride);
        const Vec* rj = reinterpret_cast<const Vec*>(gram.get() + j * stride);
        Vec best = Vec{} + std::numeric_limits<T>::infinity();
        Index where = Index{} - 1, cursor = lane_numbers();
        for (std::int64_t v = 0; v < q_pad / W; ++v) {
            const Vec narrow = advance(g, v, step, ri[v] - rj[v]);
            rounded[v] = narrow;
            const Vec value = narrow + off[v];
            const Index better = value < best;
            best = select(better, value, best);
            where = select(better, cursor, where);
            cursor += static_cast<Int>(W);
        }
        return reduce(best, where, false);
    }
};

}  // namespace mercer
