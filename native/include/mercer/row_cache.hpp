// Memory for rows by number, within a budget; the least recently used give way.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "mercer/lanes.hpp"
#include "mercer/parallel.hpp"

namespace mercer {

template <class T>
class RowCache {
public:
    // n: numbers of rows; columns: of each
    RowCache(index n, index columns, std::size_t budget_bytes) {
        constexpr index line = 64 / sizeof(T), slab = (index(1) << 25) / sizeof(T);
        stride_ = (std::max<index>(columns, 1) + line - 1) / line * line;
        slab_rows_ = std::max<index>(1, slab / stride_);
        const std::size_t row_bytes = static_cast<std::size_t>(std::max<index>(columns, 1)) * sizeof(T);
        capacity_ = std::min<index>(n, static_cast<index>(budget_bytes / row_bytes));
        if (capacity_ < std::min<index>(n, 2))
            throw std::invalid_argument("the memory budget does not hold two kernel rows");
        slot_of_.assign(static_cast<std::size_t>(n), -1);
    }
    index capacity() const { return capacity_; }

    // Where a row is, or null.
    T* find(std::int32_t row) const { return slot_of_[row] >= 0 ? place(slot_of_[row]) : nullptr; }

    // A request for these rows: until the next one, none of them gives way.
    void use(const std::int32_t* rows, index count) {
        ++clock_;
        for (index k = 0; k < count; ++k)
            if (slot_of_[rows[k]] >= 0) used_[slot_of_[rows[k]]] = clock_;
    }

    // Memory for a row of the request that has none.
    T* claim(std::int32_t row) {
        const index slot = take_slot();
        owner_[slot] = row;
        slot_of_[row] = slot;
        used_[slot] = clock_;
        return place(slot);
    }

    // Large pages that claimed rows are the first to use. Threads that write to one at the same time each have the
    // system clear a page, all but one for nothing: so each page is written to once before rows are computed.
    void prepare(Team& team) {
        team.each(static_cast<index>(pages_.size()), [&](index p) { *pages_[p] = T(0); });
        pages_.clear();
    }

    void forget(std::int32_t row) {
        const index slot = slot_of_[row];
        used_[slot] = 0;
        owner_[slot] = -1;
        slot_of_[row] = -1;
    }

private:
    index capacity_ = 0, stride_, slab_rows_, clock_ = 0;
    std::vector<index> slot_of_, used_;
    std::vector<std::int32_t> owner_;
    std::vector<AlignedBuffer<T>> slabs_;         // of slab_rows_ rows each
    std::vector<T*> pages_;                       // where those begin that nobody has written to
    std::vector<std::pair<index, index>> queue_;  // (last use, slot), worst last; rebuilt when it runs out

    T* place(index slot) const { return slabs_[slot / slab_rows_].get() + slot % slab_rows_ * stride_; }

    index take_slot() {
        const index taken = static_cast<index>(owner_.size());
        if (taken < capacity_) {
            if (taken % slab_rows_ == 0) {
                slabs_.emplace_back();
                slabs_.back().resize(static_cast<std::size_t>(std::min(slab_rows_, capacity_ - taken) * stride_));
            }
            constexpr index page = AlignedBuffer<T>::kHugePage / sizeof(T);
            const index begin = taken % slab_rows_ * stride_;
            for (index at = (begin + page - 1) / page * page; at < begin + stride_; at += page)
                pages_.push_back(slabs_.back().get() + at);
            owner_.push_back(-1);
            used_.push_back(0);
            return taken;
        }
        while (true) {
            if (queue_.empty()) refill();
            const auto [stamp, slot] = queue_.back();
            queue_.pop_back();
            if (used_[slot] != stamp) continue;  // used again since the queue was made
            if (owner_[slot] >= 0) slot_of_[owner_[slot]] = -1;
            return slot;
        }
    }

    void refill() {
        for (index s = 0; s < capacity_; ++s)
            if (used_[s] != clock_) queue_.emplace_back(used_[s], s);
        if (queue_.empty()) throw std::logic_error("more kernel rows asked for than the cache holds");
        std::sort(queue_.begin(), queue_.end(), [](const auto& x, const auto& y) { return x > y; });
    }
};

}  // namespace mercer
