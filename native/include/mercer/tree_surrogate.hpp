// Surrogate tests (Breiman et al. 1984, 5.3): tests of other columns that send rows the same way as the test of a node,
// for rows whose cell is missing there.
#pragma once

#include "mercer/tree_groups.hpp"

namespace mercer::tree {

// Left when at or below the threshold (or right, if flipped), or by level.
struct Surrogate {
    int column = -1;
    bool nominal = false, flip = false;
    double threshold = 0, agreement = 0;
    std::uint32_t cut = 0;
    size_t level_start = 0, levels = 0;
    std::vector<std::uint32_t> level, side;
};

class Surrogates {
public:
    Surrogates(const std::vector<Column>& columns, Work& work) : columns_(columns), work_(work) {
        two_.start = {0, 2};
        two_.first = two_.width = 2;
    }

    // Ranks the tests on other columns by the weight of rows they send the same way; keeps those better than "always
    // the larger branch", and sends by them the rows that have no branch yet.
    std::vector<Surrogate> find(const Sample& s, std::vector<std::int32_t>& goes, const std::vector<int>& active,
                                int primary, size_t most) {
        gather(s, goes);
        std::vector<Surrogate> found;
        for (int column : active) {
            if (column == primary) continue;
            Surrogate t = agree(columns_[static_cast<size_t>(column)]);
            t.column = column;
            if (t.agreement > 0) found.push_back(std::move(t));
        }
        std::stable_sort(found.begin(), found.end(),
                         [](const auto& a, const auto& b) { return a.agreement > b.agreement; });
        if (found.size() > most) found.resize(most);
        send(s, found, goes);
        return found;
    }

private:
    const std::vector<Column>& columns_;
    Work& work_;
    Channels two_;
    Sample known_;
    std::vector<std::uint32_t> row_, side_;
    std::vector<double> weight_;
    double to_[2] = {0, 0};

    void gather(const Sample& s, const std::vector<std::int32_t>& goes) {
        for (size_t i = 0; i < s.size; ++i) {
            if (goes[i] < 0) continue;
            row_.push_back(s.row[i]);
            side_.push_back(static_cast<std::uint32_t>(goes[i]));
            if (s.weight) weight_.push_back(s.weight[i]);
            to_[goes[i] != 0] += s.weight ? s.weight[i] : 1.0;
        }
        known_.row = row_.data();
        known_.size = row_.size();
        known_.label = side_.data();
        known_.weight = s.weight ? weight_.data() : nullptr;
        known_.channels = &two_;
    }

    Surrogate agree(const Column& column) {
        Groups& groups = work_.groups;
        group(column, known_, work_);
        Surrogate t;
        t.nominal = column.nominal;
        double total[2] = {0, 0}, best = std::max(to_[0], to_[1]) * (1 + 1e-10), left[2] = {0, 0}, sum = 0;
        for (size_t g = 0; g < groups.size(); ++g) {
            total[0] += groups.cells[2 * g];
            total[1] += groups.cells[2 * g + 1];
            sum += std::max(groups.cells[2 * g], groups.cells[2 * g + 1]);
        }
        if (column.nominal && sum > best) {
            t.agreement = sum;
            t.level = groups.code;
            for (size_t g = 0; g < groups.size(); ++g) t.side.push_back(groups.cells[2 * g + 1] > groups.cells[2 * g]);
        }
        for (size_t g = 0; !column.nominal && g + 1 < groups.size(); ++g) {
            left[0] += groups.cells[2 * g];
            left[1] += groups.cells[2 * g + 1];
            const double same = left[0] + total[1] - left[1], other = left[1] + total[0] - left[0];
            if (std::max(same, other) <= best) continue;
            best = t.agreement = std::max(same, other);
            best *= 1 + 1e-10;
            t.flip = other > same;
            t.cut = groups.code[g];
            t.threshold = halfway(column.high[groups.code[g]], column.low[groups.code[g + 1]]);
        }
        return t;
    }

    void send(const Sample& s, const std::vector<Surrogate>& found, std::vector<std::int32_t>& goes) const {
        const std::int32_t larger = to_[1] > to_[0] ? 1 : 0;
        for (size_t i = 0; i < s.size; ++i) {
            for (size_t k = 0; goes[i] < 0 && k < found.size(); ++k) goes[i] = side(found[k], s.row[i]);
            if (goes[i] < 0) goes[i] = larger;
        }
    }

    std::int32_t side(const Surrogate& t, std::uint32_t row) const {
        const Column& column = columns_[static_cast<size_t>(t.column)];
        const std::uint32_t code = column.code(row);
        if (code == column.size) return -1;
        if (!t.nominal) return (code <= t.cut) == t.flip;
        const auto at = std::lower_bound(t.level.begin(), t.level.end(), code);
        if (at == t.level.end() || *at != code) return -1;
        return static_cast<std::int32_t>(t.side[static_cast<size_t>(at - t.level.begin())]);
    }
};

}  // namespace mercer::tree
