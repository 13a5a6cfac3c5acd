// The rows of one node by the code of a column: counted in a histogram, sorted here, or sorted all along.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "binning.hpp"
#include "candidates/groups.hpp"
#include "histogram.hpp"
#include "node_sort.hpp"
#include "target.hpp"

namespace bough {

// Keeps its working memory from node to node.
class NodeRows {
  public:
    void bind(const BinnedMatrix& matrix, const Target& target) {
        matrix_ = &matrix;
        target_ = &target;
    }
    void begin(const uint32_t* rows, int64_t n) {
        rows_ = rows;
        n_ = n;
    }
    const uint32_t* data() const { return rows_; }
    std::span<const uint32_t> all() const { return {rows_, static_cast<size_t>(n_)}; }

    // Counts those of the columns that are in the records; they are then collected in this order.
    void count(std::span<const int32_t> columns) {
        in_records_.clear();
        for (const int32_t j : columns)
            if (std::holds_alternative<InRecord>(matrix_->columns[static_cast<size_t>(j)].store))
                in_records_.push_back(j);
        next_ = 0;
        if (!in_records_.empty()) histogram_.count(*matrix_, in_records_, rows_, n_, *target_);
    }

    // The groups of a column that is not sorted; one in the records must have been counted.
    void collect(const BinnedColumn& c, Groups& groups) {
        groups.clear(target_->width(), static_cast<size_t>(std::min<int64_t>(n_, c.n_bins)));
        std::visit(
            [&](const auto& store) {
                using Store = std::decay_t<decltype(store)>;
                if constexpr (std::is_same_v<Store, InRecord>) {
                    histogram_.take(*matrix_, next_++, groups);
                } else if constexpr (!std::is_same_v<Store, Sorted>) {
                    // A histogram of many categories costs its own size, a sort n log n.
                    if ((int64_t{c.n_bins} + 1) * target_->width() <= 8 * n_) {
                        count_codes(store, c.n_bins, groups);
                    } else {
                        sort_codes(store, groups);
                    }
                }
            },
            c.store);
    }

    // The entries of a listed column that is not kept sorted.
    const Entry* sorted(const BinnedColumn& c) { return node_sort_.entries(c, *target_, all()); }

    // The rows of a sorted column without a value stand first.
    void collect_missing(const Entry* entries, Groups& groups) const {
        groups.clear(target_->width(), 0);
        int64_t& missing = groups.missing_rows;
        for (; missing < n_ && code_of(entries[missing]) == 0; ++missing)
            target_->add_row(groups.missing_stat.data(), row_of(entries[missing]) & target_->row_mask);
    }

  private:
    template <class Codes>
    void count_codes(const Codes& codes, uint32_t n_bins, Groups& groups) {
        const auto w = static_cast<size_t>(target_->width());
        bin_rows_.assign(n_bins + size_t{1}, 0);
        bin_stats_.assign((n_bins + size_t{1}) * w, 0);
        for (int64_t i = 0; i < n_; ++i) {
            const size_t code = codes[rows_[i]];
            ++bin_rows_[code];
            target_->add_row(bin_stats_.data() + code * w, rows_[i]);
        }
        groups.missing_rows = bin_rows_[0];
        std::copy_n(bin_stats_.data(), w, groups.missing_stat.data());
        for (uint32_t b = 1; b <= n_bins; ++b)
            if (bin_rows_[b] > 0) std::copy_n(bin_stats_.data() + b * w, w, groups.append(b, bin_rows_[b]));
    }

    template <class Codes>
    void sort_codes(const Codes& codes, Groups& groups) {
        entries_.clear();
        for (int64_t i = 0; i < n_; ++i) {
            const uint32_t code = codes[rows_[i]];
            if (code != 0) {
                entries_.push_back(make_entry(code, rows_[i]));
            } else {
                ++groups.missing_rows;
                target_->add_row(groups.missing_stat.data(), rows_[i]);
            }
        }
        std::sort(entries_.begin(), entries_.end());
        int64_t* stat = nullptr;
        for (const Entry e : entries_) {
            if (groups.size() == 0 || groups.code[groups.size() - 1] != code_of(e)) {
                stat = groups.append(code_of(e), 0);
                std::fill_n(stat, target_->width(), int64_t{0});
            }
            ++groups.rows[groups.size() - 1];
            target_->add_row(stat, row_of(e));
        }
    }

    const BinnedMatrix* matrix_ = nullptr;
    const Target* target_ = nullptr;
    const uint32_t* rows_ = nullptr;
    int64_t n_ = 0;
    RecordHistogram histogram_;
    std::vector<int32_t> in_records_;
    size_t next_ = 0;  // of the counted columns, the one to be collected
    std::vector<int64_t> bin_rows_, bin_stats_;
    Sorted entries_;
    NodeSort node_sort_;
};

}  // namespace bough
