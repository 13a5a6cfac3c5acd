// The best question of one column for a whole level: its gains are added over the nodes that it divides.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "boost/settings.hpp"
#include "boost/split.hpp"
#include "boost/sums.hpp"

namespace bough::boost {

// A node of the level as one column sees it.
template <class Sum>
struct LevelNode {
    const Sum* bins;
    Total whole;
    Worth worth;
};

// The candidates of one column. Ordered values are cut as in a node alone. Categories are put in order by
// what the nodes' own averages leave of them, so that one question can part the categories of every node
// though the averages of whole nodes differ.
template <class Sum>
class LevelScan {
  public:
    LevelScan(std::span<const LevelNode<Sum>> nodes, size_t n_codes, int count_bits, bool nominal,
              const BoostSettings& settings)
        : nodes_(nodes), n_codes_(n_codes), count_bits_(count_bits), nominal_(nominal) {
        for (const LevelNode<Sum>& node : nodes) holes_ |= !node.bins[0].empty();
        if (nominal) order_groups(settings);
        const size_t parts = nominal ? groups_.size() : n_codes - 1;
        n_ = end_ = std::max<size_t>(parts, 1) - 1;
        if (nominal) return;
        const auto none = [&](size_t code) {
            return std::all_of(nodes.begin(), nodes.end(),
                               [&](const auto& n) { return n.bins[code].empty(); });
        };
        while (first_ < end_ && none(first_ + 1)) ++first_;
        while (end_ > first_ && none(end_ + 1)) --end_;
    }

    // Of equal ones the first; `before`: the score of the level as it is.
    Split best(double before) const {
        std::vector<double> left(holes_ ? n_ : 0, 0.0), right(n_, 0.0);  // where missing rows go
        double missing_alone = 0.0;
        each_node([&](Scan<Sum>& scan, const Total& missing, double undivided) {
            const double* own = scan.gains(n_, Total{}, undivided);
            for (size_t i = 0; i < n_; ++i) right[i] += own[i];
            if (!holes_) return;
            if (missing.rows > 0) own = scan.gains(n_, missing, undivided);
            for (size_t i = 0; i < n_; ++i) left[i] += own[i];
            missing_alone += scan.gain_of_missing(missing, undivided);
        });
        double most = missing_alone;
        for (size_t i = first_; i < end_; ++i) most = std::max({most, right[i], holes_ ? left[i] : 0.0});
        const double limit = before + most - kTie * std::abs(before + most);
        Split split;
        if (!(before < limit)) return split;
        const auto reaches = [&](double gain) { return before + gain >= limit; };
        split.taken = first_;
        while (split.taken < end_ && !(holes_ && reaches(left[split.taken])) && !reaches(right[split.taken]))
            ++split.taken;
        if (split.taken == end_) split.taken = n_;
        const size_t at = split.taken++;
        split.column = 0;
        split.missing_left = at < n_ && holes_ && reaches(left[at]);
        split.gain = at == n_ ? missing_alone : split.missing_left ? left[at] : right[at];
        split.score = before + split.gain;
        split.cut = nominal_ ? 0 : static_cast<uint32_t>(split.taken);
        return split;
    }

    // What the question gains in each node; 0: it does not divide it.
    std::vector<double> gains(const Split& split) const {
        std::vector<double> found;
        each_node([&](Scan<Sum>& scan, const Total& missing, double undivided) {
            found.push_back(split.taken > n_ ? scan.gain_of_missing(missing, undivided)
                                             : scan.gains(n_, split.missing_left ? missing : Total{},
                                                          undivided)[split.taken - 1]);
        });
        return found;
    }

    // Which way each code goes; a level without missing rows leaves their way, and that of unknown codes, to
    // the side with the larger hessian.
    std::vector<uint8_t> sides(Split& split) const {
        std::vector<uint8_t> side(n_codes_, 1);
        if (nominal_) {
            for (size_t i = 0; i < std::min(split.taken, groups_.size()); ++i)
                for_codes(groups_[i], [&](uint32_t code) { side[code] = 0; });
        } else {
            std::fill_n(side.begin() + 1, split.cut, uint8_t{0});
        }
        if (!holes_) {
            int64_t more = 0;  // hessian on the left than on the right
            for (const LevelNode<Sum>& node : nodes_)
                for (size_t code = 1; code < n_codes_; ++code)
                    more += (side[code] ? -1 : 1) * node.bins[code].total(count_bits_).hessian;
            split.missing_left = more >= 0;
        }
        side[0] = !split.missing_left;
        if (!nominal_) return side;
        std::vector<uint8_t> known(n_codes_, 0);
        for (const uint32_t code : present()) known[code] = 1;
        for (size_t code = 1; code < n_codes_; ++code)
            if (!known[code]) side[code] = side[0];
        return side;
    }

    // The categories that the level has, in order.
    std::vector<uint32_t> present() const {
        std::vector<uint32_t> codes;
        for (const Group& group : groups_) for_codes(group, [&](uint32_t code) { codes.push_back(code); });
        std::sort(codes.begin(), codes.end());
        return codes;
    }

  private:
    __extension__ using Wide = __int128;

    // A category, or all rare ones together.
    struct Group {
        uint32_t code;  // 0: the rare ones
        int64_t rows = 0, hessian = 0;
        double rest = 0.0;  // gradient beyond that of the nodes' averages
        double key = 0.0;   // of the order
        double kept = 1.0;  // of the rest in each node, where it is mixed with the node's average
    };

    // The gradient of a part beyond that of the node's average; exactly 0 if the part is the node.
    static double rest_of(const Total& part, const Total& whole) {
        if (whole.hessian == 0) return static_cast<double>(part.gradient);
        const Wide both = Wide{part.gradient} * whole.hessian - Wide{part.hessian} * whole.gradient;
        return static_cast<double>(both) / static_cast<double>(whole.hessian);
    }

    template <class Use>
    void for_codes(const Group& group, const Use& use) const {
        if (group.code) return use(group.code);
        for (const uint32_t code : rare_) use(code);
    }

    // As `mix` does in a node alone, with the level in the node's place.
    void order_groups(const BoostSettings& settings) {
        std::vector<Group> by_code(n_codes_, Group{0});
        double rows = 0.0, hessian = 0.0;
        for (const LevelNode<Sum>& node : nodes_) {
            rows += static_cast<double>(node.whole.rows);
            hessian += static_cast<double>(node.whole.hessian);
            for (size_t code = 1; code < n_codes_; ++code)
                if (!node.bins[code].empty()) add(by_code[code], node.bins[code].total(count_bits_), node);
        }
        Group together{0};
        for (uint32_t code = 1; code < n_codes_; ++code) {
            Group& group = by_code[code];
            group.code = code;
            if (group.rows >= settings.min_category_rows) {
                groups_.push_back(group);
            } else if (group.rows > 0) {
                rare_.push_back(code);
                together.hessian += group.hessian;
                together.rest += group.rest;
            }
        }
        if (!rare_.empty()) groups_.push_back(together);
        const double many =
            std::clamp((static_cast<double>(groups_.size()) - 2.0) / kManyCategories, 0.0, 1.0);
        const double more = settings.category_smoothing * many / rows * hessian;
        for (Group& group : groups_) {
            const auto own = static_cast<double>(group.hessian);
            if (own + more > 0.0) group.key = group.rest / (own + more);
            if (more > 0.0) group.kept = own / (own + more);
        }
        mixed_ = more > 0.0;
        std::sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) {
            return a.key < b.key || (a.key == b.key && a.code < b.code);
        });
    }
    static void add(Group& group, const Total& part, const LevelNode<Sum>& node) {
        group.rows += part.rows;
        group.hessian += part.hessian;
        group.rest += rest_of(part, node.whole);
    }

    // Calls use(scan, missing rows, score undivided) for each node.
    template <class Use>
    void each_node(const Use& use) const {
        for (const LevelNode<Sum>& node : nodes_) nominal_ ? with_groups(node, use) : with_cuts(node, use);
    }

    template <class Use>
    void with_cuts(const LevelNode<Sum>& node, const Use& use) const {
        Scan<Sum> scan(node.worth, node.whole, count_bits_, n_);
        Sum sum{};
        for (size_t i = 0; i < n_; ++i) {
            sum += node.bins[i + 1];
            scan.set(i, sum);
        }
        use(scan, node.bins[0].total(count_bits_), node.worth.score(node.whole));
    }

    template <class Use>
    void with_groups(const LevelNode<Sum>& node, const Use& use) const {
        const Total missing = node.bins[0].total(count_bits_);
        const double mean = node.whole.hessian > 0 ? static_cast<double>(node.whole.gradient) /
                                                         static_cast<double>(node.whole.hessian)
                                                   : 0.0;
        std::vector<Total> parts(groups_.size());
        Total all = missing;
        int64_t most = std::abs(missing.gradient);  // what is mixed in may double the sum
        for (size_t i = 0; i < parts.size(); ++i) {
            Total& part = parts[i];
            for_codes(groups_[i], [&](uint32_t code) { part = part + node.bins[code].total(count_bits_); });
            if (mixed_ && part.rows > 0)
                part.gradient = static_cast<int64_t>(std::nearbyint(
                    static_cast<double>(part.hessian) * mean + groups_[i].kept * rest_of(part, node.whole)));
            all = all + part;
            most += std::abs(part.gradient);
        }
        Scan<Sum> scan(node.worth, all, count_bits_, n_, most >= int64_t{1} << 51);
        Total left;
        for (size_t i = 0; i < n_; ++i) {
            left = left + parts[i];
            scan.set(i, Sum::of(left, count_bits_));
        }
        use(scan, missing, node.worth.score(all));
    }

    const std::span<const LevelNode<Sum>> nodes_;
    const size_t n_codes_;
    const int count_bits_;
    const bool nominal_;
    bool holes_ = false;  // a node has missing rows
    bool mixed_ = false;
    size_t n_ = 0;  // cuts, of which those from first_ to end_ have known rows on either side
    size_t first_ = 0, end_ = 0;
    std::vector<Group> groups_;
    std::vector<uint32_t> rare_;
};

}  // namespace bough::boost
