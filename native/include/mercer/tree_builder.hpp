// Splits nodes one after the other: from the top down, or the one that gains most next.
//
// No recursion: pending nodes are on a stack, with their rows on top of one another in one array.
#pragma once

#include "mercer/stop.hpp"
#include "mercer/tree_search.hpp"

namespace mercer::tree {

// A node whose test is known and waits for its turn.
struct Candidate {
    double gain;
    size_t number;
    Task task;
    Split split;
    Active active;
    bool operator<(const Candidate& o) const { return gain < o.gain || (gain == o.gain && number > o.number); }
};

class Builder {
public:
    Parts parts;
    std::vector<Task> tasks;

    // Nodes with at least `large` rows are split with their columns shared among threads; smaller ones become tasks
    // (large = 0: none do).
    Builder(const Data& data, const Rules& rules, const XLog& xlog, StopToken& stop, double root_weight, size_t large,
            int n_jobs)
        : data_(data), rules_(rules), stop_(stop), root_weight_(root_weight), large_(large),
          gatherer_(data, rules, xlog), search_(data, rules, xlog, root_weight, n_jobs) {}

    void grow(Task root) {
        fractions_ = !root.fraction.empty();
        add_nodes(1);
        if (rules_.max_leaves > 0) best_first(std::move(root));
        else depth_first(std::move(root));
    }

private:
    const Data& data_;
    const Rules& rules_;
    StopToken& stop_;
    const double root_weight_;
    const size_t large_;
    Gatherer gatherer_;
    bool fractions_ = false;
    ColumnSearch search_;
    std::vector<Pending> pending_;
    std::vector<std::uint32_t> row_;  // rows of the pending nodes, the next one on top
    std::vector<double> fraction_;    // same, when rows may be split
    std::vector<std::uint32_t> here_, map_, aside_;
    std::vector<double> part_, share_;
    std::vector<std::int32_t> goes_;

    void depth_first(Task root) {
        pending_.push_back(on_stack(std::move(root)));
        int done = 0;
        while (!pending_.empty() && !stop_.interrupted()) {
            const Pending next = std::move(pending_.back());
            pending_.pop_back();
            if (large_ > 0 && (next.end - next.begin < large_ || ++done > 512)) tasks.push_back(off_stack(next));
            else split(next);
        }
    }

    void split(const Pending& p) {
        const Sample s = gather(p);
        describe(p, s);
        Active left;
        if (const Split* best = search(p, s, left)) branch_out(p, s, *best, left);
    }

    void best_first(Task root) {
        std::vector<Candidate> queue;  // a heap
        std::int64_t leaves = 1;
        consider(std::move(root), queue);
        while (!queue.empty() && leaves < rules_.max_leaves && !stop_.interrupted()) {
            std::pop_heap(queue.begin(), queue.end());
            const Candidate next = std::move(queue.back());
            queue.pop_back();
            if (leaves + next.split.branches - 1 > rules_.max_leaves) continue;
            leaves += next.split.branches - 1;
            const Pending p = on_stack(next.task);
            const Sample s = gather(p);
            branch_out(p, s, next.split, next.active);
            std::vector<Task> children;
            for (; !pending_.empty(); pending_.pop_back()) children.push_back(off_stack(pending_.back()));
            for (; !children.empty(); children.pop_back()) consider(std::move(children.back()), queue);
        }
    }

    void consider(Task task, std::vector<Candidate>& queue) {
        const Pending p = on_stack(task);
        const Sample s = gather(p);
        describe(p, s);
        Active left;
        const Split* best = search(p, s, left);
        if (!best) return;
        // In steps of 1e-10 of the root's impurity, so that rounding does not choose between gains alike.
        const double step = 1e-10 * parts.nodes[0].impurity;
        const double share = parts.nodes[static_cast<size_t>(p.node)].weight / root_weight_;
        const double gain = std::nearbyint(best->gain * share / step);
        queue.push_back({gain, static_cast<size_t>(p.node), std::move(task), *best, left});
        std::push_heap(queue.begin(), queue.end());
    }

    void add_nodes(size_t n) {
        parts.nodes.resize(parts.nodes.size() + n);
        parts.answers.resize(parts.nodes.size() * static_cast<size_t>(gatherer_.channels.n_answers()));
    }

    Pending on_stack(const Task& task) {
        Pending p;
        static_cast<Place&>(p) = task;
        p.begin = row_.size();
        row_.insert(row_.end(), task.row.begin(), task.row.end());
        fraction_.insert(fraction_.end(), task.fraction.begin(), task.fraction.end());
        p.end = row_.size();
        return p;
    }

    template <class T>
    static void cut_off(std::vector<T>& from, size_t begin, size_t end, std::vector<T>& into) {
        into.assign(from.begin() + static_cast<index>(begin), from.begin() + static_cast<index>(end));
        from.resize(begin);
    }

    Task off_stack(const Pending& p) {
        Task task;
        static_cast<Place&>(task) = p;
        cut_off(row_, p.begin, p.end, task.row);
        if (fractions_) cut_off(fraction_, p.begin, p.end, task.fraction);
        return task;
    }

    // Takes the node's rows off the stack.
    Sample gather(const Pending& p) {
        cut_off(row_, p.begin, p.end, here_);
        if (fractions_) cut_off(fraction_, p.begin, p.end, part_);
        return gatherer_.gather(here_, fractions_ ? part_.data() : nullptr, p.bounds);
    }

    void describe(const Pending& p, const Sample& s) {
        Node& node = parts.nodes[static_cast<size_t>(p.node)];
        node.weight = gatherer_.channels.weight(s.total);
        node.rows = static_cast<double>(s.size);
        node.impurity = node.weight > 0 ? s.spread / node.weight : 0.0;
        std::copy(gatherer_.answer.begin(), gatherer_.answer.end(),
                  parts.answers.begin() + static_cast<index>(p.node) * gatherer_.channels.n_answers());
    }

    const Split* search(const Pending& p, const Sample& s, Active& left) {
        if (must_stop(p) || p.active->empty()) return nullptr;
        return search_.find(p, s, parts.nodes[static_cast<size_t>(p.node)], left);
    }

    bool must_stop(const Pending& p) const {
        const Node& node = parts.nodes[static_cast<size_t>(p.node)];
        return (rules_.max_depth > 0 && p.depth >= rules_.max_depth) || node.impurity <= gatherer_.pure() ||
               node.rows < std::max(rules_.min_rows_split, 2 * rules_.min_rows_leaf) ||
               node.weight < 2 * rules_.min_weight_leaf * (1 - gatherer_.channels.slack());
    }

    void branch_out(const Pending& p, const Sample& s, const Split& best, const Active& active) {
        const auto branches = static_cast<size_t>(best.branches);
        const auto first = static_cast<std::int32_t>(parts.nodes.size());
        Node& node = parts.nodes[static_cast<size_t>(p.node)];
        node.column = best.column;
        node.kind = best.kind;
        node.threshold = best.kind == Kind::threshold ? best.threshold : 0.0;
        node.missing_branch = best.missing_branch;
        node.first = first;
        node.branches = best.branches;
        node.level_start = parts.level.size();
        node.levels = best.levels.size();
        parts.level.insert(parts.level.end(), best.levels.begin(), best.levels.end());
        parts.branch.insert(parts.branch.end(), best.branch.begin(), best.branch.end());
        add_nodes(branches);
        if (branches == 2 && rules_.learned()) return send_two(p, best, first, active);
        route(best);
        if (rules_.missing == Missing::surrogate)
            use_surrogates(parts.nodes[static_cast<size_t>(p.node)], s, *active, best.column);
        send(p, s, best, first, active);
    }

    // As `route` and `send`, where every row goes one of two ways.
    void send_two(const Pending& p, const Split& best, std::int32_t first, const Active& active) {
        const Column& column = (*data_.columns)[static_cast<size_t>(best.column)];
        if (map_.size() <= column.size) map_.resize(column.size + 1);
        if (best.kind != Kind::threshold)
            for (size_t k = 0; k < best.levels.size(); ++k) map_[best.levels[k]] = best.branch[k];
        const size_t begin = row_.size(), n = here_.size();
        row_.resize(begin + n);
        aside_.resize(n);
        std::uint32_t *left = row_.data() + begin, *right = aside_.data();
        const bool missing_right = best.missing_branch == 1, by_cut = best.kind == Kind::threshold;
        column.visit([&](const auto* codes) {
            for (size_t i = 0; i < n; ++i) {
                const std::uint32_t row = here_[i], code = codes[row];
                bool goes_right = by_cut ? code > best.cut : code < column.size && map_[code] != 0;
                if (code == column.size) goes_right = missing_right;
                *left = *right = row;
                left += !goes_right;
                right += goes_right;
            }
        });
        const size_t middle = static_cast<size_t>(left - row_.data());
        std::copy(aside_.data(), right, left);
        const size_t ends[] = {begin, middle, begin + n};
        for (size_t b = 0; b < 2; ++b) {
            Pending child;
            static_cast<Place&>(child) = child_of(p, best, first, b, active);
            child.begin = ends[b];
            child.end = ends[b + 1];
            pending_.push_back(std::move(child));
        }
    }

    Place child_of(const Pending& p, const Split& best, std::int32_t first, size_t b, const Active& active) const {
        return {first + static_cast<std::int32_t>(b), p.depth + 1, active, Random::of_branch(p.seed, b),
                bounds(p.bounds, best, b)};
    }

    // goes_[i] = branch of entry i, or -1 when its cell is missing and no branch was learned for it.
    void route(const Split& best) {
        const Column& column = (*data_.columns)[static_cast<size_t>(best.column)];
        goes_.resize(here_.size());
        if (best.kind != Kind::threshold) {
            if (map_.size() <= column.size) map_.resize(column.size + 1);
            for (size_t k = 0; k < best.levels.size(); ++k) map_[best.levels[k]] = best.branch[k];
        }
        column.visit([&](const auto* codes) {
            for (size_t i = 0; i < here_.size(); ++i) {
                const std::uint32_t code = codes[here_[i]];
                if (code == column.size) goes_[i] = best.missing_branch;
                else if (best.kind == Kind::threshold) goes_[i] = code <= best.cut ? 0 : 1;
                else goes_[i] = static_cast<std::int32_t>(map_[code]);
            }
        });
    }

    void use_surrogates(Node& node, const Sample& s, const std::vector<int>& active, int primary) {
        Surrogates search(*data_.columns, search_.work());
        auto found = search.find(s, goes_, active, primary, static_cast<size_t>(rules_.max_surrogates));
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

    void send(const Pending& p, const Sample& s, const Split& best, std::int32_t first, const Active& active) {
        const auto branches = static_cast<size_t>(best.branches);
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
            Pending child;
            static_cast<Place&>(child) = child_of(p, best, first, b, active);
            child.begin = row_.size();
            if (!unknown && !s.part) send_whole(static_cast<std::int32_t>(b), count[b]);
            else send_fractions(static_cast<std::int32_t>(b), s);
            child.end = row_.size();
            pending_.push_back(std::move(child));
        }
    }

    Bounds bounds(const Bounds& above, const Split& best, size_t b) const {
        Bounds found = above;
        const int sign = rules_.monotone.empty() ? 0 : rules_.monotone[static_cast<size_t>(best.column)];
        if (sign == 0) return found;
        if ((sign > 0) == (b == 0)) found.upper = best.middle;
        else found.lower = best.middle;
        return found;
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
};

}  // namespace mercer::tree
