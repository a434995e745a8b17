// Hunt's algorithm: split the rows of a node by the best test, then the rows of each branch, until a stop rule holds.
//
// Problem  a tree of tests that lowers impurity most, greedily.
// Given    coded columns, classes or numbers to predict, weights, rules.
// Result   flat arrays, nodes numbered level by level, the children of a node side by side.
// Stop     depth, rows, purity, gain, or no column with two values left.
// Missing  rows without the tested cell go down every branch in fractions (Quinlan 1993, ch. 3), or down the branch
//          that a surrogate test on another column points to (Breiman et al. 1984, 5.3).
//
// No recursion: pending nodes are on a stack, with their rows on top of one another in one array. Large nodes share
// their columns out among threads; what remains below them are independent subtrees, one task each.
#pragma once

#include <memory>

#include "mercer/rows.hpp"
#include "mercer/stop.hpp"
#include "mercer/tree_split.hpp"

namespace mercer::tree {

// A fraction of a row below this is not sent further down: it bounds the copies of rows with many missing cells.
constexpr double least_fraction = 1.0 / 1024;

struct Data {
    std::vector<Column> columns;
    size_t rows = 0;
    int classes = 0;  // 0: regression
    const std::int32_t* label = nullptr;
    const double* target = nullptr;
    const double* weight = nullptr;  // null: all one
    bool missing = false;            // some column has missing cells
};

struct Node {
    int column = -1;
    Kind kind = Kind::leaf;
    double threshold = 0;
    std::int32_t first = -1, branches = 0;  // children are first .. first + branches - 1
    size_t level_start = 0, levels = 0;     // slice of Parts::level and Parts::branch
    size_t surrogate_start = 0, surrogates = 0;
    double rows = 0, weight = 0, impurity = 0;
};

// Stands in for a test whose cell is missing: left when at or below the threshold (or right, if flipped), or by level.
struct Surrogate {
    int column = -1;
    bool nominal = false, flip = false;
    double threshold = 0, agreement = 0;
    std::uint32_t cut = 0;
    size_t level_start = 0, levels = 0;
    std::vector<std::uint32_t> level, side;
};

// Nodes in the order they were made, before they are numbered.
struct Parts {
    std::vector<Node> nodes;
    std::vector<double> values;  // per node: class weights, or the mean
    std::vector<std::int32_t> level, branch;
    std::vector<Surrogate> surrogates;
};

using Active = std::shared_ptr<const std::vector<int>>;

struct Pending {
    std::int32_t node;
    size_t begin, end;
    int depth;
    Active active;
};

struct Task {
    std::int32_t node;
    int depth;
    Active active;
    std::vector<std::uint32_t> row;
    std::vector<double> fraction;
};

class Builder {
public:
    Parts parts;
    std::vector<Task> tasks;

    // Nodes with at least `large` rows are split with their columns shared among threads; smaller ones become tasks
    // (large = 0: none do).
    Builder(const Data& data, const Rules& rules, const XLog& xlog, StopToken& stop, double root_weight, size_t large,
            int n_jobs)
        : data_(data), rules_(rules), xlog_(xlog), stop_(stop), root_weight_(root_weight), large_(large),
          n_jobs_(n_jobs), work_(static_cast<size_t>(thread_count(n_jobs))) {
        channels_.classes = data.classes;
        channels_.width = data.classes == 0 ? 3 : data.classes;
        if (data.weight || (data.missing && !rules.surrogate)) channels_.count = channels_.width++;
    }

    void grow(Task root) {
        row_ = std::move(root.row);
        fraction_ = std::move(root.fraction);
        fractions_ = !fraction_.empty();
        add_nodes(1);
        pending_.push_back({0, 0, row_.size(), root.depth, root.active});
        int done = 0;
        while (!pending_.empty()) {
            if (stop_.interrupted()) return;
            const Pending next = std::move(pending_.back());
            pending_.pop_back();
            if (large_ > 0 && (next.end - next.begin < large_ || ++done > 512)) hand_over(next);
            else split(next);
        }
    }

private:
    const Data& data_;
    const Rules& rules_;
    const XLog& xlog_;
    StopToken& stop_;
    const double root_weight_;
    const size_t large_;
    const int n_jobs_;
    Channels channels_;
    bool fractions_ = false;
    std::vector<Work> work_;
    std::vector<Pending> pending_;
    std::vector<std::uint32_t> row_;  // rows of the pending nodes, the next one on top
    std::vector<double> fraction_;    // same, when rows may be split
    std::vector<std::uint32_t> here_, label_, map_;
    std::vector<double> part_, weight_, target_, total_, share_;
    std::vector<std::int32_t> goes_;
    std::vector<Split> splits_;

    void add_nodes(size_t n) {
        parts.nodes.resize(parts.nodes.size() + n);
        parts.values.resize(parts.nodes.size() * static_cast<size_t>(std::max(data_.classes, 1)));
    }

    void hand_over(const Pending& p) {
        Task task{p.node,
                  p.depth,
                  p.active,
                  {row_.begin() + static_cast<index>(p.begin), row_.begin() + static_cast<index>(p.end)},
                  {}};
        row_.resize(p.begin);
        if (fractions_) {
            task.fraction.assign(fraction_.begin() + static_cast<index>(p.begin),
                                 fraction_.begin() + static_cast<index>(p.end));
            fraction_.resize(p.begin);
        }
        tasks.push_back(std::move(task));
    }

    // Take the node's rows off the stack and lay their labels and weights side by side.
    Sample gather(const Pending& p) {
        here_.assign(row_.begin() + static_cast<index>(p.begin), row_.begin() + static_cast<index>(p.end));
        row_.resize(p.begin);
        const bool split_rows = fractions_;
        if (split_rows) {
            part_.assign(fraction_.begin() + static_cast<index>(p.begin),
                         fraction_.begin() + static_cast<index>(p.end));
            fraction_.resize(p.begin);
        }
        const size_t n = here_.size();
        Sample s;
        s.row = here_.data();
        s.size = n;
        s.channels = channels_;
        if (data_.weight) {
            weight_.resize(n);
            for (size_t i = 0; i < n; ++i) weight_[i] = data_.weight[here_[i]] * (split_rows ? part_[i] : 1.0);
            s.weight = weight_.data();
        } else if (split_rows) {
            s.weight = part_.data();
        }
        s.part = split_rows ? part_.data() : nullptr;
        if (data_.classes > 0) {
            label_.resize(n);
            for (size_t i = 0; i < n; ++i) label_[i] = static_cast<std::uint32_t>(data_.label[here_[i]]);
            s.label = label_.data();
        } else {
            centre(s);
        }
        total_.assign(static_cast<size_t>(channels_.width), 0.0);
        for (size_t i = 0; i < n; ++i) add_entry(total_.data(), s, i);
        s.total = total_.data();
        return s;
    }

    double mean_ = 0;
    void centre(Sample& s) {
        double w = 0, sum = 0;
        for (size_t i = 0; i < s.size; ++i) {
            const double v = s.weight ? s.weight[i] : 1.0;
            w += v;
            sum += v * data_.target[here_[i]];
        }
        mean_ = w > 0 ? sum / w : 0.0;
        target_.resize(s.size);
        for (size_t i = 0; i < s.size; ++i) target_[i] = data_.target[here_[i]] - mean_;
        s.target = target_.data();
    }

    void describe(const Pending& p, const Sample& s) {
        Node& node = parts.nodes[static_cast<size_t>(p.node)];
        node.weight = channels_.weight(s.total);
        node.rows = channels_.rows(s.total);
        node.impurity =
            node.weight > 0 ? spread(s.total, channels_, rules_.criterion, xlog_, node.weight) / node.weight : 0.0;
        double* value =
            parts.values.data() + static_cast<size_t>(p.node) * static_cast<size_t>(std::max(data_.classes, 1));
        if (data_.classes == 0) value[0] = mean_;
        else std::copy_n(s.total, data_.classes, value);
    }

    bool must_stop(const Pending& p) const {
        const Node& node = parts.nodes[static_cast<size_t>(p.node)];
        const double pure = data_.classes == 0 ? 1e-14 * mean_ * mean_ : 1e-12;
        return (rules_.max_depth > 0 && p.depth >= rules_.max_depth) || node.impurity <= pure ||
               node.rows < std::max(rules_.min_rows_split, 2 * rules_.min_rows_leaf) ||
               node.weight < 2 * rules_.min_weight_leaf * (1 - weight_slack);
    }

    void split(const Pending& p) {
        const Sample s = gather(p);
        describe(p, s);
        if (must_stop(p) || p.active->empty()) return;
        const std::vector<int>& active = *p.active;
        splits_.assign(active.size(), Split{});
        if (large_ > 0) share_columns(active, s);
        else
            for (size_t k = 0; k < active.size(); ++k) splits_[k] = find(active[k], s, work_[0]);
        Active left = p.active;
        if (std::any_of(splits_.begin(), splits_.end(), [](const Split& t) { return t.constant; })) {
            auto kept = std::make_shared<std::vector<int>>();
            for (size_t k = 0; k < active.size(); ++k)
                if (!splits_[k].constant) kept->push_back(active[k]);
            left = kept;
        }
        const Split* best = choose(p);
        if (best) branch_out(p, s, *best, left);
    }

    Split find(int column, const Sample& s, Work& work) const {
        return Finder(rules_, xlog_, s, work).find(data_.columns[static_cast<size_t>(column)], column);
    }

    void share_columns(const std::vector<int>& active, const Sample& s) {
        std::atomic<size_t> next{0};
        parallel_for(static_cast<index>(work_.size()), n_jobs_, [&](index t) {
            for (size_t k = next++; k < active.size(); k = next++)
                splits_[k] = find(active[k], s, work_[static_cast<size_t>(t)]);
        });
    }

    const Split* choose(const Pending& p) const {
        const Node& node = parts.nodes[static_cast<size_t>(p.node)];
        const bool by_ratio = rules_.criterion == Criterion::gain_ratio;
        double floor = -std::numeric_limits<double>::infinity();
        if (by_ratio) floor = average_gain() - 1e-3;
        const double slack = by_ratio ? 1e-10 : 1e-10 * node.impurity;
        const Split* best = nullptr;
        double top = -std::numeric_limits<double>::infinity();
        for (const Split& split : splits_) {
            if (!split.found() || split.gain < floor) continue;
            const double merit = by_ratio ? split.ratio : split.merit;
            if (merit > top + slack) {
                top = merit;
                best = &split;
            }
        }
        if (best && best->gain * node.weight / root_weight_ + 1e-12 * node.impurity < rules_.min_gain) return nullptr;
        return best;
    }

    double average_gain() const {
        double sum = 0, n = 0, sum_all = 0, n_all = 0;
        for (const Split& split : splits_) {
            if (!split.found()) continue;
            sum_all += split.gain;
            ++n_all;
            if (!split.many) {
                sum += split.gain;
                ++n;
            }
        }
        return n > 0 ? sum / n : n_all > 0 ? sum_all / n_all : 0.0;
    }

    void branch_out(const Pending& p, const Sample& s, const Split& best, const Active& active) {
        const size_t branches = best.kind == Kind::multiway ? best.levels.size() : 2;
        const auto first = static_cast<std::int32_t>(parts.nodes.size());
        Node& node = parts.nodes[static_cast<size_t>(p.node)];
        node.column = best.column;
        node.kind = best.kind;
        node.threshold = best.threshold;
        node.first = first;
        node.branches = static_cast<std::int32_t>(branches);
        node.level_start = parts.level.size();
        node.levels = best.levels.size();
        parts.level.insert(parts.level.end(), best.levels.begin(), best.levels.end());
        parts.branch.insert(parts.branch.end(), best.branch.begin(), best.branch.end());
        route(best);
        if (rules_.surrogate) use_surrogates(node, s, *active, best.column, branches);
        add_nodes(branches);
        send(p, s, branches, first, active);
    }

    // goes_[i] = branch of entry i, or -1 when its cell is missing.
    void route(const Split& best) {
        const Column& column = data_.columns[static_cast<size_t>(best.column)];
        goes_.resize(here_.size());
        if (best.kind != Kind::threshold) {
            if (map_.size() <= column.size) map_.resize(column.size + 1);
            for (size_t k = 0; k < best.levels.size(); ++k) map_[best.levels[k]] = best.branch[k];
        }
        column.visit([&](const auto* codes) {
            for (size_t i = 0; i < here_.size(); ++i) {
                const std::uint32_t code = codes[here_[i]];
                if (code == column.size) goes_[i] = -1;
                else if (best.kind == Kind::threshold) goes_[i] = code <= best.cut ? 0 : 1;
                else goes_[i] = static_cast<std::int32_t>(map_[code]);
            }
        });
    }

    void send(const Pending& p, const Sample& s, size_t branches, std::int32_t first, const Active& active) {
        share_.assign(branches, 0.0);
        std::vector<size_t> count(branches, 0);
        bool unknown = false;
        for (size_t i = 0; i < s.size; ++i) {
            if (goes_[i] < 0) {
                unknown = true;
                continue;
            }
            share_[static_cast<size_t>(goes_[i])] += s.weight ? s.weight[i] : 1.0;
            ++count[static_cast<size_t>(goes_[i])];
        }
        double known = 0;
        for (double w : share_) known += w;
        for (double& w : share_) w /= known;
        for (size_t b = 0; b < branches; ++b) {
            const size_t begin = row_.size();
            if (!unknown && !s.part) send_whole(static_cast<std::int32_t>(b), count[b]);
            else send_fractions(static_cast<std::int32_t>(b), s);
            pending_.push_back({first + static_cast<std::int32_t>(b), begin, row_.size(), p.depth + 1, active});
        }
    }

    void send_whole(std::int32_t b, size_t count) {
        const size_t begin = row_.size();
        row_.resize(begin + count + 1);  // one spare place: each row is written, then kept or overwritten
        std::uint32_t* to = row_.data() + begin;
        for (size_t i = 0; i < here_.size(); ++i) {
            *to = here_[i];
            to += goes_[i] == b && static_cast<size_t>(to - row_.data()) < begin + count;
        }
        row_.resize(begin + count);
    }

    void send_fractions(std::int32_t b, const Sample& s) {
        for (size_t i = 0; i < s.size; ++i) {
            double part = s.part ? s.part[i] : 1.0;
            if (goes_[i] >= 0 && goes_[i] != b) continue;
            if (goes_[i] < 0) part *= share_[static_cast<size_t>(b)];
            if (part < least_fraction) continue;
            row_.push_back(here_[i]);
            fraction_.push_back(part);
        }
    }

    // Rank the tests on other columns by the weight of rows they send the same way; keep those better than "always the
    // larger branch".
    void use_surrogates(Node& node, const Sample& s, const std::vector<int>& active, int primary, size_t branches) {
        std::vector<std::uint32_t> row, side;
        std::vector<double> weight;
        double to[2] = {0, 0};
        for (size_t i = 0; i < s.size; ++i) {
            if (goes_[i] < 0) continue;
            row.push_back(here_[i]);
            side.push_back(static_cast<std::uint32_t>(goes_[i]));
            if (s.weight) weight.push_back(s.weight[i]);
            to[goes_[i] != 0] += s.weight ? s.weight[i] : 1.0;
        }
        Sample known;
        known.row = row.data();
        known.size = row.size();
        known.label = side.data();
        known.weight = s.weight ? weight.data() : nullptr;
        known.channels.classes = known.channels.width = 2;
        std::vector<Surrogate> found;
        if (branches == 2)
            for (int column : active) {
                if (column == primary) continue;
                Surrogate t = agree(data_.columns[static_cast<size_t>(column)], known, std::max(to[0], to[1]));
                t.column = column;
                if (t.agreement > 0) found.push_back(std::move(t));
            }
        std::stable_sort(found.begin(), found.end(),
                         [](const auto& a, const auto& b) { return a.agreement > b.agreement; });
        if (found.size() > static_cast<size_t>(rules_.max_surrogates))
            found.resize(static_cast<size_t>(rules_.max_surrogates));
        send_by_surrogate(found, to[1] > to[0] ? 1 : 0);
        node.surrogate_start = parts.surrogates.size();
        node.surrogates = found.size();
        for (Surrogate& t : found) {
            t.level_start = parts.level.size();
            t.levels = t.level.size();
            parts.level.insert(parts.level.end(), t.level.begin(), t.level.end());
            parts.branch.insert(parts.branch.end(), t.side.begin(), t.side.end());
            parts.surrogates.push_back(std::move(t));
        }
    }

    Surrogate agree(const Column& column, const Sample& known, double least) {
        Groups& groups = work_[0].groups;
        group(column, known, work_[0]);
        Surrogate t;
        t.nominal = column.nominal;
        double total[2] = {0, 0}, best = least * (1 + 1e-10), left[2] = {0, 0}, sum = 0;
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

    void send_by_surrogate(const std::vector<Surrogate>& found, std::int32_t larger) {
        for (size_t i = 0; i < here_.size(); ++i) {
            for (size_t k = 0; goes_[i] < 0 && k < found.size(); ++k) {
                const Surrogate& t = found[k];
                const std::uint32_t code = data_.columns[static_cast<size_t>(t.column)].code(here_[i]);
                if (code == data_.columns[static_cast<size_t>(t.column)].size) continue;
                if (!t.nominal) goes_[i] = (code <= t.cut) == t.flip;
                else {
                    const auto at = std::lower_bound(t.level.begin(), t.level.end(), code);
                    if (at != t.level.end() && *at == code)
                        goes_[i] = static_cast<std::int32_t>(t.side[static_cast<size_t>(at - t.level.begin())]);
                }
            }
            if (goes_[i] < 0) goes_[i] = larger;
        }
    }
};

// Put the nodes of a subtree, grown apart, in the place that was kept for its root.
inline void graft(Parts& onto, std::int32_t place, Parts& from, size_t value_width) {
    const auto shift = static_cast<std::int32_t>(onto.nodes.size()) - 1;
    const size_t levels = onto.level.size(), surrogates = onto.surrogates.size();
    for (Node& node : from.nodes) {
        if (node.first >= 0) node.first += shift;
        node.level_start += levels;
        node.surrogate_start += surrogates;
    }
    for (Surrogate& t : from.surrogates) t.level_start += levels;
    const auto w = static_cast<index>(value_width);
    onto.nodes[static_cast<size_t>(place)] = from.nodes[0];
    std::copy_n(from.values.begin(), w, onto.values.begin() + place * w);
    onto.nodes.insert(onto.nodes.end(), from.nodes.begin() + 1, from.nodes.end());
    onto.values.insert(onto.values.end(), from.values.begin() + w, from.values.end());
    onto.level.insert(onto.level.end(), from.level.begin(), from.level.end());
    onto.branch.insert(onto.branch.end(), from.branch.begin(), from.branch.end());
    std::move(from.surrogates.begin(), from.surrogates.end(), std::back_inserter(onto.surrogates));
}

// Numbers level by level: order[k] is the node that becomes node k.
inline std::vector<std::int32_t> level_order(const std::vector<Node>& nodes) {
    std::vector<std::int32_t> order{0};
    for (size_t k = 0; k < order.size(); ++k) {
        const Node& node = nodes[static_cast<size_t>(order[k])];
        for (std::int32_t b = 0; b < node.branches; ++b) order.push_back(node.first + b);
    }
    return order;
}

inline Parts grow(const Data& data, const Rules& rules, int n_jobs, StopToken& stop) {
    Task root{0, 0, nullptr, {}, {}};
    double root_weight = 0;
    for (size_t i = 0; i < data.rows; ++i) {
        const double w = data.weight ? data.weight[i] : 1.0;
        if (w <= 0) continue;
        root.row.push_back(static_cast<std::uint32_t>(i));
        root_weight += w;
    }
    const bool fractions = data.missing && !rules.surrogate;
    if (fractions) root.fraction.assign(root.row.size(), 1.0);
    auto active = std::make_shared<std::vector<int>>();
    for (size_t j = 0; j < data.columns.size(); ++j) active->push_back(static_cast<int>(j));
    root.active = active;
    XLog xlog;
    if (rules.criterion <= Criterion::gain_ratio && !data.weight && !fractions) xlog.prepare(root.row.size());
    const size_t large = std::max<size_t>(4096, root.row.size() / 32);
    Builder top(data, rules, xlog, stop, root_weight, large, n_jobs);
    top.grow(std::move(root));
    std::vector<size_t> by_size(top.tasks.size());
    for (size_t k = 0; k < by_size.size(); ++k) by_size[k] = k;
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](size_t a, size_t b) { return top.tasks[a].row.size() > top.tasks[b].row.size(); });
    std::vector<Parts> subtrees(top.tasks.size());
    std::vector<std::int32_t> place(top.tasks.size());
    parallel_for(static_cast<index>(by_size.size()), n_jobs, [&](index k) {
        const size_t t = by_size[static_cast<size_t>(k)];
        place[t] = top.tasks[t].node;
        Builder builder(data, rules, xlog, stop, root_weight, 0, 1);
        builder.grow(std::move(top.tasks[t]));
        subtrees[t] = std::move(builder.parts);
    });
    const size_t width = static_cast<size_t>(std::max(data.classes, 1));
    for (size_t t = 0; t < subtrees.size(); ++t) graft(top.parts, place[t], subtrees[t], width);
    return std::move(top.parts);
}

// Code every column, a few at a time, on n_jobs threads.
inline std::vector<Column> code_columns(const Matrix<double>& numbers, const Codes& codes, const std::int32_t* levels,
                                        const std::uint8_t* nominal, std::uint32_t max_bins, int n_jobs,
                                        StopToken& stop) {
    std::vector<Column> columns(static_cast<size_t>(numbers.cols + codes.cols));
    constexpr index few = 8;  // doubles in a cache line: a row-major table is read once
    const index bundles = (numbers.cols + few - 1) / few;
    parallel_for(bundles, n_jobs, [&](index t) {
        const index begin = t * few, end = std::min(numbers.cols, begin + few);
        std::vector<std::vector<double>> cells(static_cast<size_t>(end - begin),
                                               std::vector<double>(static_cast<size_t>(numbers.rows)));
        for (index i = 0; i < numbers.rows; ++i)
            for (index j = begin; j < end; ++j)
                cells[static_cast<size_t>(j - begin)][static_cast<size_t>(i)] =
                    numbers.data[i * numbers.row_stride + j * numbers.col_stride];
        Ranker ranker;
        std::vector<std::uint32_t> scratch;
        for (index j = begin; j < end; ++j) {
            if (stop.interrupted()) return;
            columns[static_cast<size_t>(j)] =
                code_numbers(cells[static_cast<size_t>(j - begin)], max_bins, ranker, scratch);
        }
    });
    parallel_for(codes.cols, n_jobs, [&](index j) {
        std::vector<std::uint32_t> scratch;
        columns[static_cast<size_t>(numbers.cols + j)] = code_levels(codes, j, levels[j], nominal[j] != 0, scratch);
    });
    return columns;
}

}  // namespace mercer::tree
