// The best cut of an ordered column by Gini, where every row has one class and a whole weight.
//
//   w I = w - sum over classes of n_c^2 / w
//
// Sums of whole numbers are exact in any order, so both sides follow from one row to the next: moving a row of weight d
// from right to left adds d (2 n_c + d) to the sum of squares on the left.
#pragma once

#include "mercer/tree_groups.hpp"

namespace mercer::tree {

struct CountCut {
    double after = std::numeric_limits<double>::infinity();
    std::uint32_t last = 0, next = 0;  // code: the last on the left, and the first on the right
    bool found = false, missing_left = false;
    bool alone = false;  // missing cells are alone on the right
};

// The class counts of both sides of a cut.
class CountSides {
public:
    CountSides(CountWork& work, size_t classes) : left_(work.left), right_(work.right), classes_(classes) {}

    void start(const std::vector<std::int64_t>& left, const std::vector<std::int64_t>& right) {
        left_ = left;
        right_ = right;
        sum_up();
    }
    void sum_up() {
        sum(left_, left_weight, left_squares);
        sum(right_, right_weight, right_squares);
    }
    void move(std::uint32_t label, std::int64_t d) {
        left_squares += d * (2 * left_[label] + d);
        left_[label] += d;
        right_squares -= d * (2 * right_[label] - d);
        right_[label] -= d;
        left_weight += d;
        right_weight -= d;
    }
    double after() const { return spread(left_weight, left_squares) + spread(right_weight, right_squares); }

    std::int64_t left_weight = 0, right_weight = 0;

private:
    std::vector<std::int64_t>&left_, &right_;
    const size_t classes_;
    std::int64_t left_squares = 0, right_squares = 0;

    void sum(const std::vector<std::int64_t>& of, std::int64_t& weight, std::int64_t& squares) const {
        weight = squares = 0;
        for (size_t c = 0; c < classes_; ++c) {
            weight += of[c];
            squares += of[c] * of[c];
        }
    }
    static double spread(std::int64_t weight, std::int64_t squares) {
        const auto w = static_cast<double>(weight);
        return weight > 0 ? std::max(0.0, w - static_cast<double>(squares) / w) : 0.0;
    }
};

class CountFinder {
public:
    // least_rows, least_weight: of a side. slack: a cut is better when impurity falls by more than this.
    CountFinder(const Column& column, const Sample& s, CountWork& work, double least_rows, double least_weight,
                double slack)
        : column_(column), s_(s), work_(work), classes_(static_cast<size_t>(s.channels->first)), sides_(work, classes_),
          least_rows_(least_rows), least_weight_(least_weight), slack_(slack) {}

    // Reads the codes of the node; false where there is nothing to tell apart.
    bool read() {
        const auto [least, most] = work_.codes.read(column_, s_);
        work_.missing.assign(classes_, 0);
        tags_ = s_.tag;
        n_ = s_.size;
        if (column_.missing && most == column_.size) set_missing_apart();
        else {
            least_ = least;
            most_ = most;
        }
        work_.known.resize(classes_);
        for (size_t c = 0; c < classes_; ++c)
            work_.known[c] = static_cast<std::int64_t>(s_.total[c]) - work_.missing[c];
        return n_ > 0 && (least_ < most_ || aside());
    }

    bool aside() const { return n_ < s_.size; }  // some cell is missing
    std::uint32_t least() const { return least_; }
    std::uint32_t most() const { return most_; }

    CountCut best() {
        CountCut best;
        const size_t span = most_ - least_ + 1, n = n_;
        std::uint32_t* codes = work_.codes.code.data();
        for (size_t i = 0; i < n; ++i) codes[i] -= least_;
        const bool by_table = span * classes_ <= n;
        if (by_table) count(span);
        else
            work_.orderer.sort(
                codes, n, static_cast<std::uint32_t>(span), [&](size_t i) { return tags_[i]; }, work_.words);
        for (int side = 0; side <= (aside() ? 1 : 0); ++side) {
            start(side == 1);
            if (by_table) scan_table(span, side == 1, best);
            else scan_words(side == 1, best);
        }
        return best;
    }

    // The one cut after the codes up to `last`; `alone`: after all of them. Unless `exact`, its codes are those of rows
    // of the node that are next to it.
    CountCut only(std::uint32_t last, bool missing_left, bool alone, bool exact) {
        CountCut cut;
        cut.missing_left = missing_left;
        cut.alone = alone;
        cut.last = last;
        cut.next = last + 1;
        const std::uint32_t limit = alone ? UINT32_MAX : last, *codes = work_.codes.code.data();
        size_t rows = missing_left ? s_.size - n_ : 0;
        if (!exact || s_.channels->count >= 0) rows += look_beside(limit, cut);
        count_classes(tags_, n_, classes_, s_.ones, [&](size_t i) { return codes[i] <= limit; }, work_.moved);
        work_.left.resize(classes_);
        work_.right.resize(classes_);
        for (size_t c = 0; c < classes_; ++c) {
            work_.left[c] = work_.moved[c] + (missing_left ? work_.missing[c] : 0);
            work_.right[c] = work_.known[c] + work_.missing[c] - work_.left[c];
        }
        sides_.sum_up();
        cut.found = s_.channels->count >= 0 ? enough(rows) : heavy(least_rows_) && heavy(least_weight_);
        if (cut.found) cut.after = sides_.after();
        return cut;
    }

private:
    const Column& column_;
    const Sample& s_;
    CountWork& work_;
    const size_t classes_;
    CountSides sides_;
    const double least_rows_, least_weight_, slack_;
    const std::uint32_t* tags_ = nullptr;  // of the rows whose cell is known
    size_t n_ = 0;
    std::uint32_t least_ = 0, most_ = 0;

    void set_missing_apart() {
        work_.tags.resize(s_.size);
        least_ = UINT32_MAX;
        most_ = 0;
        n_ = 0;
        for (size_t i = 0; i < s_.size; ++i) {
            const std::uint32_t code = work_.codes.code[i], tag = s_.tag[i];
            if (code == column_.size) {
                work_.missing[tag & 255] += tag >> 8;
                continue;
            }
            least_ = std::min(least_, code);
            most_ = std::max(most_, code);
            work_.codes.code[n_] = code;
            work_.tags[n_++] = tag;
        }
        tags_ = work_.tags.data();
    }

    // The codes on both sides of a cut; how many rows are on the left.
    size_t look_beside(std::uint32_t limit, CountCut& cut) const {
        const std::uint32_t* codes = work_.codes.code.data();
        size_t rows = 0;
        cut.last = 0;
        cut.next = UINT32_MAX;
        for (size_t i = 0; i < n_; ++i) {
            const bool right = codes[i] > limit;
            rows += !right;
            cut.last = std::max(cut.last, right ? 0 : codes[i]);
            cut.next = std::min(cut.next, right ? codes[i] : UINT32_MAX);
        }
        return rows;
    }

    // Whether both sides weigh enough; where rows are not counted apart, their weight is their number.
    bool heavy(double least) const {
        return static_cast<double>(sides_.left_weight) >= least && static_cast<double>(sides_.right_weight) >= least;
    }

    void start(bool missing_left) {
        work_.none.assign(classes_, 0);
        if (!aside()) return sides_.start(work_.none, work_.known);
        work_.all.resize(classes_);
        for (size_t c = 0; c < classes_; ++c) work_.all[c] = work_.known[c] + work_.missing[c];
        if (missing_left) sides_.start(work_.missing, work_.known);
        else sides_.start(work_.none, work_.all);
    }

    bool enough(size_t rows_left) const {
        const auto left = static_cast<double>(rows_left), all = static_cast<double>(s_.size);
        return left >= least_rows_ && all - left >= least_rows_ && heavy(least_weight_);
    }

    void consider(std::uint32_t last, std::uint32_t next, size_t rows_left, bool missing_left, bool alone,
                  CountCut& best) {
        if (!enough(rows_left)) return;
        const double after = sides_.after();
        if (after < best.after - slack_) best = {after, least_ + last, least_ + next, true, missing_left, alone};
    }

    // Counts of (code, class), then rows of each code.
    void count(size_t span) {
        const size_t n = n_, k = classes_ + 1;
        work_.table.assign(span * k, 0);
        const std::uint32_t* codes = work_.codes.code.data();
        for (size_t i = 0; i < n; ++i) {
            std::uint32_t* cell = work_.table.data() + codes[i] * k;
            cell[tags_[i] & 255] += tags_[i] >> 8;
            ++cell[classes_];
        }
    }

    void scan_table(size_t span, bool missing_left, CountCut& best) {
        const size_t k = classes_ + 1;
        size_t rows = missing_left ? s_.size - n_ : 0;
        const std::uint32_t* table = work_.table.data();
        for (size_t b = 0; b < span;) {
            const std::uint32_t* cell = table + b * k;
            for (size_t c = 0; c < classes_; ++c)
                if (cell[c] > 0) sides_.move(static_cast<std::uint32_t>(c), cell[c]);
            rows += cell[classes_];
            const size_t last = b++;
            while (b < span && table[b * k + classes_] == 0) ++b;
            const bool end = b == span;
            if (end && (missing_left || !aside())) return;
            consider(static_cast<std::uint32_t>(last), static_cast<std::uint32_t>(b), rows, missing_left, end, best);
        }
    }

    void scan_words(bool missing_left, CountCut& best) {
        const size_t before = missing_left ? s_.size - n_ : 0;
        const std::uint64_t* words = work_.words.data();
        for (size_t i = 0; i < n_;) {
            const auto code = static_cast<std::uint32_t>(words[i] >> 32);
            do {
                const auto tag = static_cast<std::uint32_t>(words[i]);
                sides_.move(tag & 255, tag >> 8);
                ++i;
            } while (i < n_ && static_cast<std::uint32_t>(words[i] >> 32) == code);
            const bool end = i == n_;
            if (end && (missing_left || !aside())) return;
            const std::uint32_t next = end ? 0 : static_cast<std::uint32_t>(words[i] >> 32);
            consider(code, next, before + i, missing_left, end, best);
        }
    }
};

}  // namespace mercer::tree
