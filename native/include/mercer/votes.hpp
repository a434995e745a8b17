// Accuracy and squared error of every k up to K, from one list of K neighbours per query.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/parallel.hpp"

namespace mercer {

// Vote of the j-th neighbour: 1, 1/d or 1/d^2. Neighbours at distance 0, where there are any, vote alone.
inline double vote(int weighting, double d, bool zeros) {
    if (weighting == 0) return 1.0;
    if (zeros) return d == 0 ? 1.0 : 0.0;
    return weighting == 1 ? 1.0 / d : 1.0 / (d * d);
}

struct NeighbourLists {
    index queries, k;
    const std::int32_t* row;  // (queries, k), nearest first
    const double* distance;
};

// right[weighting * k + (j - 1)] = weight of the queries that j neighbours classify rightly; ties go to the lower
// class.
inline void vote_curve(const NeighbourLists& lists, const std::int32_t* label, const double* weight,
                       const std::int32_t* truth, const double* truth_weight, index n_classes, double* right,
                       int n_jobs) {
    const Segments chunks{lists.queries, 1024};
    const size_t cells = static_cast<size_t>(3 * lists.k);
    std::vector<std::vector<double>> parts(static_cast<size_t>(chunks.count()), std::vector<double>(cells, 0.0));
    parallel_for(chunks.count(), n_jobs, [&](index s) {
        std::vector<double> votes(static_cast<size_t>(n_classes));
        double* mine = parts[static_cast<size_t>(s)].data();
        for (index q = chunks.begin(s); q < chunks.end(s); ++q)
            for (int way = 0; way < 3; ++way) {
                std::fill(votes.begin(), votes.end(), 0.0);
                const bool zeros = lists.distance[q * lists.k] == 0;
                index top = 0;
                for (index j = 0; j < lists.k; ++j) {
                    const index r = lists.row[q * lists.k + j], c = label[r];
                    votes[static_cast<size_t>(c)] +=
                        vote(way, lists.distance[q * lists.k + j], zeros) * (weight ? weight[r] : 1.0);
                    const double now = votes[static_cast<size_t>(c)], best = votes[static_cast<size_t>(top)];
                    if (now > best || (now == best && c < top)) top = c;
                    if (top == truth[q]) mine[way * lists.k + j] += truth_weight ? truth_weight[q] : 1.0;
                }
            }
    });
    std::fill(right, right + cells, 0.0);
    for (const auto& part : parts)
        for (size_t c = 0; c < cells; ++c) right[c] += part[c];
}

// loss[weighting * k + (j - 1)] = sum of squared differences between the target and the mean of j neighbours.
inline void mean_curve(const NeighbourLists& lists, const double* target, const double* weight, const double* truth,
                       const double* truth_weight, double* loss, int n_jobs) {
    const Segments chunks{lists.queries, 1024};
    const size_t cells = static_cast<size_t>(3 * lists.k);
    std::vector<std::vector<double>> parts(static_cast<size_t>(chunks.count()), std::vector<double>(cells, 0.0));
    parallel_for(chunks.count(), n_jobs, [&](index s) {
        double* mine = parts[static_cast<size_t>(s)].data();
        for (index q = chunks.begin(s); q < chunks.end(s); ++q)
            for (int way = 0; way < 3; ++way) {
                const bool zeros = lists.distance[q * lists.k] == 0;
                double total = 0, sum = 0, plain = 0;
                for (index j = 0; j < lists.k; ++j) {
                    const index r = lists.row[q * lists.k + j];
                    const double v = vote(way, lists.distance[q * lists.k + j], zeros) * (weight ? weight[r] : 1.0);
                    total += v;
                    sum += v * target[r];
                    plain += target[r];
                    const double mean = total > 0 ? sum / total : plain / static_cast<double>(j + 1);
                    mine[way * lists.k + j] +=
                        (truth_weight ? truth_weight[q] : 1.0) * (mean - truth[q]) * (mean - truth[q]);
                }
            }
    });
    std::fill(loss, loss + cells, 0.0);
    for (const auto& part : parts)
        for (size_t c = 0; c < cells; ++c) loss[c] += part[c];
}

}  // namespace mercer
