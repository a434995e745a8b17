// One pass of the perceptron over rows, dense or CSR, with an elastic-net penalty on w.
//
// Rows in the order given, of sides y = -1 or 1 and steps s. Each row is a mistake when y (w'x + b) <= margin:
//
//   w <- max(0, 1 - eta alpha (1 - l1_ratio)) w       whether or not it is a mistake
//   w <- w + s y x,  b <- b + offset_step s y         at a mistake (Rosenblatt 1958)
//   w_j -> 0 by what of eta alpha l1_ratio has been charged so far and not been paid by w_j, for the columns of the row
//                                                     (Tsuruoka, Tsujii & Ananiadou 2009, the cumulative penalty)
//
// Result: the sum of losses max(0, margin - y f), each with alpha ((1 - l1_ratio) |w|^2 / 2 + l1_ratio |w|_1) added as
// it was before the row, and the number of mistakes. |w| is measured over the columns of the row that last moved w, as
// scikit-learn does: all of them in dense rows. With a lag the mean of w over all rows shown is w - lag / shown.
#pragma once

#include <algorithm>
#include <cmath>

#include "mercer/coordinate.hpp"

namespace mercer {

struct PerceptronOptions {
    double margin = 0.0;
    double offset_step = 1.0;  // 0 without an offset
    double alpha = 0.0, l1_ratio = 0.0, eta = 1.0;
};

// What lasts from pass to pass beside w; of doubles alone, as one array of Python.
struct PerceptronState {
    double offset = 0.0;
    double squares = 0.0, absolute = 0.0;  // |w|^2 and |w|_1
    double charged = 0.0;                  // sum of eta alpha l1_ratio
    double shown = 0.0;                    // rows
    double lag_offset = 0.0;               // sum of moves of the offset times rows shown before
};

struct PassResult {
    double loss = 0.0;
    std::int64_t mistakes = 0;
};

template <class T, class Cell>
void each_cell(const DenseRows<T>& rows, index i, Cell cell) {
    for (index k = 0; k < rows.d; ++k) cell(k, double(rows.x[i * rows.d + k]));
}

template <class T, class Cell>
void each_cell(const SparseRows<T>& rows, index i, Cell cell) {
    for (std::int64_t s = rows.x.starts[i]; s < rows.x.starts[i + 1]; ++s)
        cell(index(rows.x.columns[s]), double(rows.x.values[s]));
}

template <class Rows>
class PerceptronPass {
public:
    // w (d); paid (d) of the penalty on |w|_1, or null without one; lag (d), or null without an average.
    PerceptronPass(const Rows& rows, const PerceptronOptions& options, PerceptronState& state, double* w, double* paid,
                   double* lag)
        : rows_(rows), opt_(options), state_(state), w_(w), paid_(paid), lag_(lag) {}

    // Shows m rows; side and step have an entry for each row of the matrix, moved (m), or null, says which were
    // mistakes.
    PassResult run(const std::int32_t* order, index m, const std::int8_t* side, const double* step, std::uint8_t* moved,
                   StopToken& stop) {
        PassResult result;
        const double keep = std::max(0.0, 1.0 - (1.0 - opt_.l1_ratio) * opt_.eta * opt_.alpha);
        for (index t = 0; t < m; ++t) {
            if (t % kPollRows == 0) stop.interrupted();
            const index i = order[t];
            const double z = side[i] * (scale_ * rows_.dot(i, w_) + state_.offset);
            result.loss += std::max(0.0, opt_.margin - z) + penalty();
            if (keep != 1.0) shrink(keep);
            const bool mistake = z <= opt_.margin && step[i] != 0.0;  // of a row of weight 0 nothing is learnt
            if (mistake) move(i, step[i] * side[i]);
            if (moved) moved[t] = mistake;
            result.mistakes += mistake;
            if (paid_) pay(i);
            state_.shown += 1.0;
        }
        write_scale();
        return result;
    }

private:
    static constexpr index kPollRows = 1024;
    static constexpr double kSmallScale = 1e-9;  // below, w / scale could overflow

    double penalty() const {
        if (opt_.alpha == 0.0) return 0.0;
        return opt_.alpha * ((1.0 - opt_.l1_ratio) * 0.5 * state_.squares + opt_.l1_ratio * state_.absolute);
    }

    void shrink(double keep) {
        scale_ *= keep;
        state_.squares *= keep * keep;
        state_.absolute *= keep;
        if (scale_ < kSmallScale) write_scale();
    }

    void move(index i, double by) {
        rows_.add(i, by / scale_, w_);
        state_.offset += opt_.offset_step * by;
        if (lag_) {
            rows_.add(i, by * state_.shown, lag_);
            state_.lag_offset += opt_.offset_step * by * state_.shown;
        }
        if (opt_.alpha > 0.0) measure(i);
    }

    void measure(index i) {
        double squares = 0.0, absolute = 0.0;
        each_cell(rows_, i, [&](index j, double) {
            squares += w_[j] * w_[j];
            absolute += std::fabs(w_[j]);
        });
        state_.squares = squares * scale_ * scale_;
        state_.absolute = absolute * scale_;
    }

    void pay(index i) {
        state_.charged += opt_.l1_ratio * opt_.eta * opt_.alpha;
        each_cell(rows_, i, [&](index j, double) {
            const double before = w_[j];
            if (before > 0.0) w_[j] = std::max(0.0, before - (state_.charged + paid_[j]) / scale_);
            else if (before < 0.0) w_[j] = std::min(0.0, before + (state_.charged - paid_[j]) / scale_);
            paid_[j] += scale_ * (w_[j] - before);
        });
    }

    void write_scale() {
        if (scale_ == 1.0) return;
        for (index j = 0; j < rows_.d; ++j) w_[j] *= scale_;
        scale_ = 1.0;
    }

    Rows rows_;
    PerceptronOptions opt_;
    PerceptronState& state_;
    double *w_, *paid_, *lag_;
    double scale_ = 1.0;  // w is scale_ * w_
};

// Fisher and Yates' shuffle by a 32-bit xorshift (Marsaglia 2003), in place: the orders that scikit-learn's stochastic
// gradient descent draws from the same seed.
inline void shuffle_rows(std::int32_t* order, index n, std::uint32_t seed) {
    if (seed == 0) seed = 1;  // 0 stays 0
    for (index i = 0; i + 1 < n; ++i) {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        std::swap(order[i], order[i + index((seed & 0x7fffffffu) % std::uint32_t(n - i))]);
    }
}

}  // namespace mercer
