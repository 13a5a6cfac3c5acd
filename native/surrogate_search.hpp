// Finds the surrogates of a node's split: one pass over every other column, in exact weights.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "midpoint.hpp"
#include "plot.hpp"
#include "surrogates.hpp"

namespace bough {

inline constexpr uint32_t kNoWay = 2;  // of a row that the split does not know
inline constexpr double kHelps = 1e-10;

// Two bits for each row of the table, so that those of 2 M rows stay in the second-level cache.
class Ways {
  public:
    void reserve(int64_t n_rows) {
        const auto words = static_cast<size_t>((n_rows + 31) / 32);
        if (words_.size() < words) words_.resize(words);
    }
    void set(uint32_t row, uint32_t way) {
        uint64_t& word = words_[row >> 5];
        word = (word & ~(uint64_t{3} << shift(row))) | uint64_t{way} << shift(row);
    }
    uint32_t operator[](uint32_t row) const {
        return static_cast<uint32_t>(words_[row >> 5] >> shift(row)) & 3;
    }

  private:
    static uint32_t shift(uint32_t row) { return 2 * (row & 31); }
    std::vector<uint64_t> words_;
};

class SurrogateSearch {
  public:
    // Each child must get two rows by a surrogate. as_rpart: instead, a column of categories must send two
    // rows the split's way and two against it, as rpart has it: an oversight, it loses the best of them.
    explicit SurrogateSearch(bool as_rpart) : as_rpart_(as_rpart) {}

    // Enters a node. `way_of(row)`: the child of a row by the node's split, 0 or 1, or kNoWay.
    template <class WayOf>
    void begin(const Plot& plot, Segment segment, size_t most, const WayOf& way_of) {
        plot_ = &plot;
        segment_ = segment;
        best.clear(most);
        ways_.reserve(plot.matrix.n_rows);
        whole_ = {};
        for (const uint32_t row : rows()) {
            const uint32_t way = way_of(row);
            ways_.set(row, way);
            if (way < kNoWay) whole_.add(way, plot.target.weight_of(row));
        }
    }

    // Looks at these columns, the split's own must not be among them.
    void look(std::span<const int32_t> columns) {
        if (whole_.weight[0] == 0 || whole_.weight[1] == 0) return;
        in_records_.clear();
        size_t bins = 0;
        for (const int32_t j : columns) {
            const BinnedColumn& c = plot_->matrix.columns[static_cast<size_t>(j)];
            if (c.sorted()) {
                look_at_sorted(j);
            } else if (!std::holds_alternative<InRecord>(c.store)) {
                look_at_codes(j);
            } else {
                // Histograms that are filled together fit into the first-level cache.
                if (bins + c.n_bins + 1 > kBins) look_at_records();
                if (in_records_.empty()) bins = 0;
                in_records_.push_back(j);
                bins += c.n_bins + size_t{1};
            }
        }
        look_at_records();
    }

    BestSurrogates best;

  private:
    static constexpr size_t kBins = 1024;

    // Rows that the split knows: their number and weight by child.
    struct Tally {
        std::array<int64_t, 2> rows{}, weight{};
        uint32_t code = 0;

        void add(uint32_t way, int64_t w) {
            ++rows[way];
            weight[way] += w;
        }
        void add(const Tally& other) {
            for (size_t k : {0u, 1u}) {
                rows[k] += other.rows[k];
                weight[k] += other.weight[k];
            }
        }
        int64_t n() const { return rows[0] + rows[1]; }
        int64_t heavier() const { return std::max(weight[0], weight[1]); }
    };

    // The best cut of a column, while they are tried upwards.
    struct Cuts {
        explicit Cuts(const Tally& known) : whole(known) { set_best(known.heavier()); }
        Tally whole;
        int64_t best = 0;
        int64_t lowest = 0, highest = 0;  // differences within these do not beat the best
        int64_t place = 0;
        int32_t first = -1;  // none found

        // `below`: rows below the cut; `difference`: weight of those that go to child 0, less that to
        // child 1.
        void offer(int64_t at, int64_t below, int64_t difference) {
            if (lowest <= difference && difference <= highest) return;
            if (below < 2 || whole.n() - below < 2) return;
            first = difference > highest ? 0 : 1;
            set_best(first == 0 ? whole.weight[1] + difference : whole.weight[0] - difference);
            place = at;
        }
        void set_best(int64_t agree) {
            best = agree;
            lowest = whole.weight[0] - agree;
            highest = agree - whole.weight[1];
        }
    };

    struct Bin {
        uint32_t rows[4] = {0, 0, 0, 0};  // by way
    };

    std::span<const uint32_t> rows() const {
        return {plot_->lists.rows().data() + segment_.begin, static_cast<size_t>(segment_.size())};
    }
    bool weighted() const { return !plot_->target.weight.empty(); }

    void look_at_sorted(int32_t j) {
        const Entry* const entries = plot_->lists.entries(j, segment_);
        const Cuts cuts = weighted() ? scan<true>(entries) : scan<false>(entries);
        if (cuts.first < 0) return;
        const BinnedColumn& c = plot_->matrix.columns[static_cast<size_t>(j)];
        const Entry low = entries[cuts.place - 1], high = entries[cuts.place];
        add_cut(j, cuts, c.highest(code_of(low), origin_of(low)), c.lowest(code_of(high), origin_of(high)));
    }

    template <bool kWeighted>
    Cuts scan(const Entry* entries) const {
        const int64_t n = segment_.size();
        const uint32_t mask = plot_->target.row_mask;
        const auto weight = [&](uint32_t row) { return kWeighted ? plot_->target.weight[row] : 1; };
        Tally known = whole_;
        int64_t i = 0;
        for (; i < n && code_of(entries[i]) == 0; ++i) {
            const uint32_t row = row_of(entries[i]) & mask, way = ways_[row];
            if (way == kNoWay) continue;
            --known.rows[way];
            known.weight[way] -= weight(row);
        }
        Cuts cuts(known);
        int64_t below = 0, difference = 0;
        uint32_t last = i < n ? code_of(entries[i]) : 0;
        for (; i < n; ++i) {
            if (code_of(entries[i]) != last) {
                cuts.offer(i, below, difference);
                last = code_of(entries[i]);
            }
            const uint32_t row = row_of(entries[i]) & mask, way = ways_[row];
            below += way != kNoWay;
            difference += (static_cast<int64_t>(way == 0) - static_cast<int64_t>(way == 1)) * weight(row);
        }
        return cuts;
    }

    uint32_t origin_of(Entry e) const { return plot_->matrix.origin_of(row_of(e) & plot_->target.row_mask); }

    // Many categories: counted or sorted, whichever is cheaper.
    void look_at_codes(int32_t j) {
        const uint32_t n_bins = plot_->matrix.columns[static_cast<size_t>(j)].n_bins;
        tallies_.clear();
        if (int64_t{n_bins} <= 8 * segment_.size()) {
            make_bins(n_bins + size_t{1});
            plot_->lists.for_each_code(segment_, j,
                                       [&](uint32_t code, uint32_t row) { count(code, row, ways_[row]); });
            for (uint32_t code = 0; code <= n_bins; ++code) take_bin(code, code);
        } else {
            codes_.clear();
            plot_->lists.for_each_code(segment_, j, [&](uint32_t code, uint32_t row) {
                if (code != 0) codes_.push_back(make_entry(code, row));
            });
            std::sort(codes_.begin(), codes_.end());
            for (const Entry e : codes_) {
                if (tallies_.empty() || tallies_.back().code != code_of(e))
                    tallies_.emplace_back().code = code_of(e);
                const uint32_t way = ways_[row_of(e)];
                if (way != kNoWay) tallies_.back().add(way, plot_->target.weight_of(row_of(e)));
            }
        }
        look_at_tallies(j);
    }

    // A row's codes stand next to each other, so these columns are counted together.
    void look_at_records() {
        if (in_records_.empty()) return;
        const BinnedMatrix& matrix = plot_->matrix;
        parts_.clear();
        size_t bins = 0;
        for (const int32_t j : in_records_) {
            const BinnedColumn& c = matrix.columns[static_cast<size_t>(j)];
            parts_.push_back({std::get<InRecord>(c.store).offset, bins});
            bins += c.n_bins + size_t{1};
        }
        make_bins(bins);
        for (const uint32_t row : rows()) {
            const uint8_t* const record = matrix.record(row);
            const uint32_t way = ways_[row];
            for (const auto& [offset, first] : parts_) count(first + record[offset], row, way);
        }
        for (size_t i = 0; i < in_records_.size(); ++i) {
            const int32_t j = in_records_[i];
            tallies_.clear();
            take_bins(parts_[i], matrix.columns[static_cast<size_t>(j)].n_bins);
            look_at_tallies(j);
        }
        in_records_.clear();
    }

    void make_bins(size_t n) {
        if (bins_.size() < n) bins_.resize(n);
        if (weighted() && bin_weights_.size() < n) bin_weights_.resize(n, {0, 0});
    }
    void count(size_t bin, uint32_t row, uint32_t way) {
        ++bins_[bin].rows[way];
        if (weighted() && way != kNoWay) bin_weights_[bin][way] += plot_->target.weight[row];
    }

    // A small node visits only the bins that it has touched.
    void take_bins(const std::pair<uint32_t, size_t>& part, uint32_t n_bins) {
        const auto [offset, first] = part;
        if (segment_.size() > int64_t{n_bins}) {
            for (uint32_t code = 0; code <= n_bins; ++code) take_bin(first + code, code);
            return;
        }
        uint64_t seen[4] = {0, 0, 0, 0};
        for (const uint32_t row : rows()) {
            const uint8_t code = plot_->matrix.code(row, offset);
            seen[code / 64u] |= uint64_t{1} << (code % 64u);
        }
        for (uint32_t w = 0; w < 4; ++w)
            for (uint64_t bits = seen[w]; bits; bits &= bits - 1) {
                const uint32_t code = w * 64 + static_cast<uint32_t>(std::countr_zero(bits));
                take_bin(first + code, code);
            }
    }

    // Hands a bin over, if it has rows, and leaves it empty.
    void take_bin(size_t bin, uint32_t code) {
        Bin& b = bins_[bin];
        if (b.rows[0] + b.rows[1] + b.rows[2] == 0) return;
        if (code != 0) {
            Tally& t = tallies_.emplace_back();
            t.code = code;
            t.rows = {b.rows[0], b.rows[1]};
            t.weight = weighted() ? bin_weights_[bin] : t.rows;
        }
        b = {};
        if (weighted()) bin_weights_[bin] = {0, 0};
    }

    // The values of a column in ascending order.
    void look_at_tallies(int32_t j) {
        const BinnedColumn& c = plot_->matrix.columns[static_cast<size_t>(j)];
        Tally known;
        for (const Tally& t : tallies_) known.add(t);
        if (c.kind == ColumnKind::nominal) return look_at_categories(j, known);
        Cuts cuts(known);
        int64_t below = 0, difference = 0;
        for (size_t i = 0; i < tallies_.size(); ++i) {
            if (i > 0) cuts.offer(static_cast<int64_t>(i), below, difference);
            below += tallies_[i].n();
            difference += tallies_[i].weight[0] - tallies_[i].weight[1];
        }
        if (cuts.first < 0) return;
        const auto place = static_cast<size_t>(cuts.place);
        add_cut(j, cuts, c.highest(tallies_[place - 1].code, 0), c.lowest(tallies_[place].code, 0));
    }

    // Each category goes its own better way.
    void look_at_categories(int32_t j, const Tally& known) {
        const size_t on_tie = known.weight[0] > known.weight[1] ? 0 : 1;
        const auto way_of = [&](const Tally& t) {
            return t.weight[0] == t.weight[1] ? on_tie : size_t{t.weight[1] > t.weight[0]};
        };
        int64_t agree = 0, hits = 0, sent[2] = {0, 0};
        for (const Tally& t : tallies_) {
            const size_t way = way_of(t);
            agree += t.weight[way];
            hits += t.rows[way];
            sent[way] += t.n();
        }
        const int64_t fewest = as_rpart_ ? std::min(hits, known.n() - hits) : std::min(sent[0], sent[1]);
        if (fewest < 2 || !helps(j, agree)) return;
        Surrogate s;
        s.kind = SplitKind::subset;
        for (const Tally& t : tallies_)
            if (t.n() > 0)
                s.categories.push_back({static_cast<int32_t>(t.code) - 1, static_cast<int32_t>(way_of(t))});
        add(j, agree, std::move(s));
    }

    void add_cut(int32_t j, const Cuts& cuts, double low, double high) {
        if (!helps(j, cuts.best)) return;
        Surrogate s;
        s.threshold = midpoint(low, high);
        s.first = cuts.first;
        add(j, cuts.best, std::move(s));
    }

    // Does it do better than the child of larger weight alone, and than those found before?
    bool helps(int32_t j, int64_t agree) const { return adjusted(agree) > kHelps && best.wants(agree, j); }
    double adjusted(int64_t agree) const {
        const int64_t lighter = std::min(whole_.weight[0], whole_.weight[1]);
        return static_cast<double>(agree - whole_.heavier()) / static_cast<double>(lighter);
    }
    void add(int32_t j, int64_t agree, Surrogate&& s) {
        s.feature = j;
        s.agree = static_cast<double>(agree) / static_cast<double>(whole_.weight[0] + whole_.weight[1]);
        s.adjusted = adjusted(agree);
        best.add(agree, std::move(s));
    }

    bool as_rpart_;
    const Plot* plot_ = nullptr;
    Segment segment_;
    Ways ways_;
    Tally whole_;  // of the rows that the split knows
    std::vector<int32_t> in_records_;
    std::vector<std::pair<uint32_t, size_t>> parts_;   // of those: offset in a record, first bin
    std::vector<Bin> bins_;                            // all zero between columns
    std::vector<std::array<int64_t, 2>> bin_weights_;  // likewise; not used with unit weights
    std::vector<Tally> tallies_;
    Sorted codes_;
};

}  // namespace bough
