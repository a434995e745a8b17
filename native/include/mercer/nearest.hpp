// The k smallest of a stream of distances. Ties always go to the lower row number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "mercer/parallel.hpp"

namespace mercer {

// Rows whose group is that of the query are skipped: its own row (leave one out), or its fold.
struct Groups2 {
    const std::int32_t* rows = nullptr;  // null: nothing is skipped
    const std::int32_t* queries = nullptr;
    bool skips(index query, index row) const { return rows && rows[row] == queries[query]; }
};

struct Found {
    double distance;
    std::int32_t row;
    bool operator<(const Found& other) const {
        return distance < other.distance || (distance == other.distance && row < other.row);
    }
};

// Distances that are not finite count as the largest number, so that k rows are always found.
constexpr double farthest = std::numeric_limits<double>::max();

// Collects candidates and throws the worst away each time the buffer is full.
class Nearest {
public:
    void start(size_t k) {
        k_ = k;
        limit_ = std::numeric_limits<double>::infinity();
        kept_.clear();
        kept_.reserve(2 * k + 64);
    }
    bool wants(double distance) const { return distance < limit_ || limit_ > farthest; }

    // Rows come in increasing order, so one at the limit loses its tie.
    void offer(double distance, index row) {
        if (!(distance <= farthest)) distance = farthest;
        if (!(distance < limit_)) return;
        kept_.push_back({distance, static_cast<std::int32_t>(row)});
        if (kept_.size() == 2 * k_ + 64) shrink();
    }

    void finish(double* distance, std::int32_t* row) {
        std::partial_sort(kept_.begin(), kept_.begin() + static_cast<index>(k_), kept_.end());
        for (size_t j = 0; j < k_; ++j) {
            distance[j] = kept_[j].distance >= farthest ? std::numeric_limits<double>::infinity() : kept_[j].distance;
            row[j] = kept_[j].row;
        }
    }

private:
    size_t k_ = 0;
    double limit_ = 0;
    std::vector<Found> kept_;

    void shrink() {
        std::nth_element(kept_.begin(), kept_.begin() + static_cast<index>(k_ - 1), kept_.end());
        kept_.resize(k_);
        limit_ = kept_[k_ - 1].distance;
    }
};

}  // namespace mercer
