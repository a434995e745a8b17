// Sums of a set of rows and the impurity they mean: entropy in bits, Gini, classification error, variance or Poisson
// deviance; of several outputs, the mean of each one's. (Absolute errors do not add up: see tree_absolute.hpp.)
#pragma once

#include <algorithm>
#include <cmath>

#include "mercer/tree_rules.hpp"

namespace mercer::tree {

// What is added up per branch, the cells of a node. Classes: their weights, one output after the other. Numbers: w,
// then for each output w y and w y y (Poisson: w y log y). Last, the count of rows where it is not the weight.
struct Channels {
    int outputs = 1;
    std::vector<int> start;  // classes: where those of each output start, then their end; empty for numbers
    int first = 0;           // classes of the first output; 0 for numbers
    int width = 0;           // doubles per cell
    int count = -1;          // channel of the row count, or -1 when weight is count, or every row counts as enough
    bool rounded = false;    // weights are not all one: their sums may be rounded

    bool classes() const { return first > 0; }
    int n_classes(int k) const { return start[static_cast<size_t>(k) + 1] - start[static_cast<size_t>(k)]; }
    int n_answers() const { return classes() ? start.back() : outputs; }
    double weight(const double* cell) const {
        if (first == 0) return cell[0];
        double w = 0;
        for (int c = 0; c < first; ++c) w += cell[c];
        return w;
    }
    // By how much, relatively, sums of weights may miss a limit; counts are exact.
    double slack() const { return rounded ? weight_slack : 0.0; }
    // Rows of which at least a part is here.
    double rows(const double* cell) const { return count < 0 ? weight(cell) : cell[count]; }
};

// The channels of targets with so many classes each, or of that many numbers.
inline Channels channels_of(const std::vector<int>& n_classes, int outputs, bool apart) {
    Channels ch;
    ch.outputs = outputs;
    ch.width = 1 + 2 * outputs;
    if (!n_classes.empty()) {
        ch.start.push_back(0);
        for (int n : n_classes) ch.start.push_back(ch.start.back() + n);
        ch.first = n_classes[0];
        ch.width = ch.start.back();
    }
    ch.rounded = apart;
    if (apart) ch.count = ch.width++;
    return ch;
}

// x log2 x, read from a table for whole numbers.
class XLog {
public:
    void prepare(size_t n) {
        table_.resize(n + 1);
        for (size_t k = 1; k <= n; ++k) table_[k] = static_cast<double>(k) * std::log2(static_cast<double>(k));
    }
    double operator()(double x) const {
        if (!table_.empty()) return table_[static_cast<size_t>(x)];
        return x > 0 ? x * std::log2(x) : 0.0;
    }

private:
    std::vector<double> table_;
};

inline double class_spread(const double* cell, int classes, Criterion criterion, const XLog& xlog, double w) {
    if (criterion == Criterion::gini) {
        double sum = 0;
        for (int c = 0; c < classes; ++c) sum += cell[c] * cell[c];
        return std::max(0.0, w - sum / w);
    }
    if (criterion == Criterion::error) {
        double top = 0;
        for (int c = 0; c < classes; ++c) top = std::max(top, cell[c]);
        return w - top;
    }
    double sum = xlog(w);
    for (int c = 0; c < classes; ++c) sum -= xlog(cell[c]);
    return std::max(0.0, sum);
}

inline double number_spread(const double* cell, Criterion criterion, double w) {
    if (criterion != Criterion::poisson) return std::max(0.0, cell[1] - cell[0] * cell[0] / w);
    if (!(cell[0] > 0)) return 0.0;
    const double deviance = cell[1] - cell[0] * std::log(cell[0] / w);
    return deviance > 1e-14 * std::abs(cell[1]) ? deviance : 0.0;  // less is rounding of the difference
}

// Weight times impurity of one cell.
inline double spread(const double* cell, const Channels& ch, Criterion criterion, const XLog& xlog, double w) {
    if (w <= 0) return 0;
    if (ch.outputs == 1) {
        if (ch.first > 0) return class_spread(cell, ch.first, criterion, xlog, w);
        return number_spread(cell + 1, criterion, w);
    }
    double sum = 0;
    for (int k = 0; k < ch.outputs; ++k)
        sum += ch.classes() ? class_spread(cell + ch.start[static_cast<size_t>(k)], ch.n_classes(k), criterion, xlog, w)
                            : number_spread(cell + 1 + 2 * k, criterion, w);
    return sum / ch.outputs;
}

}  // namespace mercer::tree
