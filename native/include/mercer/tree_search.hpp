// The test that a node is split by: the best of each column looked at, and the best of those.
#pragma once

#include "mercer/tree_node.hpp"
#include "mercer/tree_split.hpp"

namespace mercer::tree {

class ColumnSearch {
public:
    ColumnSearch(const Data& data, const Rules& rules, const XLog& xlog, double root_weight, int n_jobs)
        : data_(data), rules_(rules), xlog_(xlog), root_weight_(root_weight), team_(n_jobs),
          work_(static_cast<size_t>(team_.size())) {}

    // The test to split a node by, or null; `left` are the columns that are not constant there.
    const Split* find(const Place& p, const Sample& s, const Node& node, Active& left) {
        look(p, s);
        left = p.active;
        if (std::any_of(splits_.begin(), splits_.end(), [](const Split& t) { return t.constant; })) {
            std::vector<int> constant;
            for (size_t k = 0; k < looked_.size(); ++k)
                if (splits_[k].constant) constant.push_back(looked_[k]);
            std::sort(constant.begin(), constant.end());
            auto kept = std::make_shared<std::vector<int>>();
            std::set_difference(p.active->begin(), p.active->end(), constant.begin(), constant.end(),
                                std::back_inserter(*kept));
            left = kept;
        }
        return choose(node);
    }

    Work& work() { return work_[0]; }

private:
    const Data& data_;
    const Rules& rules_;
    const XLog& xlog_;
    const double root_weight_;
    Team team_;
    std::vector<Work> work_;  // of each thread
    std::vector<int> looked_, pool_;
    std::vector<Split> splits_;

    // The best test of every column, or of `max_columns` drawn from all: columns known to be constant are drawn too,
    // and drawing goes on until one is not.
    void look(const Place& p, const Sample& s) {
        looked_.clear();
        splits_.clear();
        const size_t columns = data_.columns->size();
        const size_t most = rules_.max_columns == 0 ? columns : static_cast<size_t>(rules_.max_columns);
        if (most >= columns && !rules_.shuffle) {
            looked_ = *p.active;
            find_from(0, p, s);
            return;
        }
        ColumnDraw random(p.seed);
        pool_ = *p.active;
        size_t constant = columns - pool_.size();
        for (size_t drawn = 0; drawn < most && !pool_.empty(); ++drawn) draw(random, constant);
        find_from(0, p, s);
        const auto useful = [](const Split& t) { return !t.constant; };
        while (!pool_.empty() && std::none_of(splits_.begin(), splits_.end(), useful)) {
            const size_t known = looked_.size();
            draw(random, constant);
            find_from(known, p, s);
        }
    }

    void draw(ColumnDraw& random, size_t& constant) {
        const size_t k = random.below(pool_.size() + constant);
        if (k < constant) {
            --constant;
            return;
        }
        looked_.push_back(pool_[k - constant]);
        pool_[k - constant] = pool_.back();
        pool_.pop_back();
    }

    void find_from(size_t first, const Place& p, const Sample& s) {
        splits_.resize(looked_.size());
        const auto find = [&](size_t k, Work& work) {
            const int column = looked_[k];
            Finder finder(rules_, xlog_, s, p.bounds, work, column);
            splits_[k] = finder.find((*data_.columns)[static_cast<size_t>(column)], p.seed);
        };
        if (team_.size() == 1 || s.size < 1024) {
            for (size_t k = first; k < looked_.size(); ++k) find(k, work_[0]);
            return;
        }
        std::atomic<size_t> next{first};
        team_.run([&](int part) {
            for (size_t k = next++; k < looked_.size(); k = next++) find(k, work_[static_cast<size_t>(part)]);
        });
    }

    const Split* choose(const Node& node) const {
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
};

}  // namespace mercer::tree
