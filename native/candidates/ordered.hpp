// Candidates of ordered values: every cut between neighbouring distinct values, missing rows on either side.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "binning.hpp"
#include "candidates/best.hpp"
#include "candidates/groups.hpp"

namespace bough {

inline constexpr int64_t kFewEntries = 48, kManyEntries = 512;
inline constexpr int64_t kBlocks = 1024, kLeastBlock = 64, kMostBlock = 4096;

// A sweep that can bound the gain between two of its states.
template <class Sweep>
concept Bounded = requires(const Sweep& sweep, const typename Sweep::State& s) { sweep.between(s, s); };

// A sweep that knows how far its sum must be from that of the mean for a larger gain.
template <class Sweep>
concept Distanced = requires(const Sweep& sweep, const typename Sweep::State& s) { sweep.reach(s, 1, 0.0); };

// A sweep that is asked for many gains at once.
template <class Sweep>
concept Batched = requires(Sweep& sweep, const typename Sweep::State& s) { sweep.note(s); };

// A sweep that passes by the cuts of no larger gain.
template <class Sweep>
concept Striding = requires(Sweep& sweep) { sweep.strides(); };

// The same as try_cuts, below, with one call for all cuts.
template <Batched Sweep>
void try_all_cuts(Sweep& sweep, typename Sweep::State& state, const Entry* entries, int64_t first,
                  int64_t last, const Limits& limits, Best& best) {
    std::vector<Best> cuts;
    for (int64_t i = first; i < last; ++i) {
        sweep.move_item(state, row_of(entries[i]));
        if (!limits.apart(code_of(entries[i]), code_of(entries[i + 1])) || !limits.weight_ok(sweep, state))
            continue;
        sweep.note(state);
        Best& cut = cuts.emplace_back();
        cut.place = cut.low = code_of(entries[i]);
        cut.high = code_of(entries[i + 1]);
        cut.left = sweep.left_weight(state);
    }
    const std::vector<double> gains = sweep.noted_gains();
    for (size_t c = 0; c < cuts.size(); ++c) {
        cuts[c].gain = cuts[c].own = gains[c];
        best.offer(cuts[c], limits.tolerance);
    }
}

// Offers the cut between two entries; `state` is that of the rows up to it.
template <class Sweep>
inline void try_cut(Sweep& sweep, const typename Sweep::State& state, Entry here, Entry next,
                    const Limits& limits, Best& best) {
    if (!limits.apart(code_of(here), code_of(next)) || !limits.weight_ok(sweep, state)) return;
    if constexpr (requires { sweep.may_exceed(state, 0.0); })
        if (!sweep.may_exceed(state, best.gain)) return;
    const double gain = sweep.gain(state);
    if (!(gain > best.gain) || !limits.fits(sweep, state)) return;
    if (gain > best.own + limits.tolerance) {
        best.own = gain;
        best.low = code_of(here);
        best.high = code_of(next);
        best.place = best.low;
        best.left = sweep.left_weight(state);
    }
    best.gain = gain;
}

// Tries the cuts after the entries [first, last); `best` and `state` are those before.
template <class Sweep>
void try_cuts(Sweep& sweep, typename Sweep::State& state, const Entry* entries, int64_t first, int64_t last,
              const Limits& limits, Best& best) {
    if constexpr (Striding<Sweep>) {
        const auto all = sweep.packed(entries);
        for (int64_t i = first; limits.near_codes == 0 && sweep.strides(); ++i) {
            i = sweep.stride_to(state, all, i, last, best.gain);
            if (i >= last) return;
            try_cut(sweep, state, entries[i], entries[i + 1], limits, best);
        }
    }
    for (int64_t i = first; i < last; ++i) {
        sweep.move_item(state, row_of(entries[i]));
        try_cut(sweep, state, entries[i], entries[i + 1], limits, best);
    }
}

// Cuts to a block. The gain at its end reads logarithms that are as far apart as the counts, so that a
// million rows read nearly as much of them as of entries; the more rows there are, the less a block of them
// changes.
inline int64_t block_of(int64_t many) {
    if (many < kManyEntries) return 16;
    return std::clamp(static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(many) / kBlocks)),
                      kLeastBlock, kMostBlock);
}

// The same, for many entries: first only the cuts at the ends of blocks are tried, then the cuts within those
// blocks whose bound reaches the best of them. What is left out is no tie.
template <Bounded Sweep>
void try_blocks(Sweep& sweep, typename Sweep::State& state, const Entry* entries, int64_t first, int64_t last,
                int64_t block, const Limits& limits, Best& best) {
    struct End {
        typename Sweep::State state;
        double gain;
    };
    std::vector<End> ends;
    ends.reserve(static_cast<size_t>((last - first) / block + 2));
    ends.push_back({state, sweep.gain(state)});
    double reached = best.gain;
    for (int64_t i = first; i < last; i += block) {
        const int64_t end = std::min(i + block, last);
        sweep.move_items(state, entries + i, end - i);
        ends.push_back({state, sweep.gain(state)});
        if (limits.apart(code_of(entries[end - 1]), code_of(entries[end])) && limits.weight_ok(sweep, state))
            reached = std::max(reached, ends.back().gain);
    }
    const double enough = reached - limits.tolerance;
    for (size_t b = 0; b + 1 < ends.size(); ++b) {
        End &from = ends[b], &to = ends[b + 1];
        if (std::max(from.gain, to.gain) < enough && sweep.between(from.state, to.state) < enough) continue;
        const int64_t i = first + static_cast<int64_t>(b) * block;
        try_cuts(sweep, from.state, entries, i, std::min(i + block, last), limits, best);
    }
}

// The same, for many entries of numbers: where a sum is too near to that of the mean for a larger gain, none
// is computed.
template <Distanced Sweep>
void try_distant(Sweep& sweep, typename Sweep::State& state, const Entry* entries, int64_t first,
                 int64_t last, const Limits& limits, Best& best) {
    constexpr int64_t kBlock = 32;
    for (int64_t i = first; i < last; i += kBlock) {
        const int64_t n = std::min(kBlock, last - i);
        const int64_t reach = sweep.reach(state, n, best.gain);
        int64_t distance = sweep.distance(state);
        for (int64_t k = 0; k < n; ++k) {
            distance += sweep.step(row_of(entries[i + k]));
            if (distance > reach || distance < -reach)
                try_cut(sweep, sweep.after(state, k + 1, distance), entries[i + k], entries[i + k + 1],
                        limits, best);
        }
        state = sweep.after(state, n, distance);
    }
}

// Walks the known rows in ascending order; missing rows are on the left already or stay on the right. Cuts of
// no larger gain than `above` may be left out.
//     entries:  code 1 1 1 | 2 2 | 5 | 7 7      a cut is where the code changes
template <class Sweep>
Best scan_entries(Sweep& sweep, typename Sweep::State state, const Entry* entries, int64_t n,
                  int64_t left_before, int64_t n_node, const Limits& limits,
                  double above = -std::numeric_limits<double>::infinity()) {
    Best best;
    const int64_t first = std::max<int64_t>(0, limits.min_rows - left_before - 1);
    const int64_t last = std::min(n - 1, n_node - limits.min_rows - left_before);
    for (int64_t i = 0; i < std::min(first, last); ++i) sweep.move_item(state, row_of(entries[i]));
    if constexpr (Batched<Sweep>) {
        try_all_cuts(sweep, state, entries, first, last, limits, best);
        return best;
    }
    best.gain = above;
    const int64_t many = last - first;
    if constexpr (Bounded<Sweep>) {
        if (many >= kFewEntries && !limits.monotone) {
            try_blocks(sweep, state, entries, first, last, block_of(many), limits, best);
            return best.checked();
        }
    }
    if constexpr (Distanced<Sweep>) {
        if (many >= kFewEntries && sweep.unit_weights()) {
            try_distant(sweep, state, entries, first, last, limits, best);
            return best.checked();
        }
    }
    try_cuts(sweep, state, entries, first, last, limits, best);
    return best.checked();
}

// The same over groups, likewise; `order` names the groups in the order to be cut, nullptr: as they are.
template <class Sweep>
Best scan_groups(Sweep& sweep, typename Sweep::State state, const Groups& groups, const uint32_t* order,
                 int64_t left_before, int64_t n_node, const Limits& limits,
                 double above = -std::numeric_limits<double>::infinity()) {
    Best best;
    best.gain = above;
    std::vector<Best> noted;  // candidates whose gains are asked for together
    int64_t left = left_before;
    for (size_t i = 0; i + 1 < groups.size(); ++i) {
        const size_t g = order ? order[i] : i, next = order ? order[i + 1] : i + 1;
        sweep.move_group(state, groups.stat(g));
        left += groups.rows[g];
        if (left < limits.min_rows || n_node - left < limits.min_rows || !limits.weight_ok(sweep, state))
            continue;
        if constexpr (requires { sweep.may_exceed(state, 0.0); })
            if (!sweep.may_exceed(state, best.gain)) continue;
        if (!limits.fits(sweep, state)) continue;
        if (!order && !limits.apart(groups.code[g], groups.code[next])) continue;
        Best candidate;
        candidate.place = static_cast<int64_t>(i);
        candidate.left = sweep.left_weight(state);
        candidate.low = order ? static_cast<uint32_t>(i + 1) : groups.code[g];
        candidate.high = order ? static_cast<uint32_t>(i + 2) : groups.code[next];
        if constexpr (Batched<Sweep>) {
            sweep.note(state);
            noted.push_back(candidate);
        } else {
            candidate.gain = candidate.own = sweep.gain(state);
            best.offer(candidate, limits.tolerance);
        }
    }
    if constexpr (Batched<Sweep>) {
        const std::vector<double> gains = sweep.noted_gains();
        for (size_t c = 0; c < noted.size(); ++c) {
            noted[c].gain = noted[c].own = gains[c];
            best.offer(noted[c], limits.tolerance);
        }
    }
    return best.checked();
}

// Runs one scan with the missing rows on the left and one with them on the right.
template <class Sweep, class Scan>
Best scan_both_sides(Sweep& sweep, const int64_t* missing_stat, int64_t missing_rows, const Limits& limits,
                     const Scan& scan) {
    Best best;
    if (missing_rows > 0) {
        typename Sweep::State state = sweep.start();
        sweep.move_group(state, missing_stat);
        best = scan(state, missing_rows);
        best.missing_left = true;
    }
    best.merge(scan(sweep.start(), 0), limits.tolerance);
    return best;
}

// The last candidate of a column with missing rows: known values left, missing right.
template <class Sweep>
void offer_known_or_missing(Sweep& sweep, const int64_t* node_stat, const int64_t* missing_stat,
                            int32_t width, int64_t missing_rows, int64_t n_node, uint32_t last_code,
                            const Limits& limits, Best& best) {
    if (missing_rows == 0 || missing_rows == n_node || missing_rows < limits.min_rows ||
        n_node - missing_rows < limits.min_rows)
        return;
    std::vector<int64_t> known(node_stat, node_stat + width);
    for (int32_t k = 0; k < width; ++k) known[static_cast<size_t>(k)] -= missing_stat[k];
    typename Sweep::State state = sweep.start();
    sweep.move_group(state, known.data());
    if (!limits.weight_ok(sweep, state) || !limits.fits(sweep, state)) return;
    Best candidate;
    candidate.gain = candidate.own = sweep.gain(state);
    candidate.left = sweep.left_weight(state);
    candidate.low = last_code;
    candidate.place = std::numeric_limits<int64_t>::max();
    best.offer(candidate, limits.tolerance);
}

}  // namespace bough
