// The derivatives of some rows at a time: as they were given, or made anew whenever they are asked for. To
// make those of the log losses three times in a tree takes no longer than to write them once and to read them
// three times, and they need no memory.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bough::boost {

inline constexpr size_t kStrip = 512;  // rows whose derivatives are in the first cache together

class Slopes {
  public:
    // Without hessians all are 1.
    static Slopes given(std::span<const double> gradient, std::span<const double> hessian) {
        return {Kind::given, gradient, hessian, {}, {}, 0};
    }
    // Of two classes, from the sums of the trees: log odds of the second.
    static Slopes two_classes(std::span<const double> raw, std::span<const uint8_t> y,
                              std::span<const double> weight) {
        return {Kind::two_classes, raw, {}, weight, y, 1};
    }
    // Of one of several classes, from its shares.
    static Slopes one_class(std::span<const double> share, std::span<const uint8_t> y,
                            std::span<const double> weight, uint8_t number) {
        return {Kind::one_class, share, {}, weight, y, number};
    }

    size_t size() const { return first_.size(); }
    bool fits(size_t n) const {
        const bool made = kind_ != Kind::given;
        return first_.size() == n && (hessian_.empty() || hessian_.size() == n) &&
               (!made || (y_.size() == n && (weight_.empty() || weight_.size() == n)));
    }
    bool unit_hessian() const { return kind_ == Kind::given && hessian_.empty(); }

    // Calls see(place of the first among those asked, how many, gradients, hessians or nullptr) for the rows
    // of [begin, end), a strip after the other.
    template <class See>
    void each(size_t begin, size_t end, const See& see) const {
        Room room;
        for (size_t from = begin; from < end; from += kStrip) {
            const size_t n = std::min(kStrip, end - from);
            const double* const h = hessian_.empty() ? nullptr : hessian_.data() + from;
            if (kind_ == Kind::given) {
                see(from, n, first_.data() + from, h);
                continue;
            }
            make(first_.data() + from, y_.data() + from, weight_.empty() ? nullptr : weight_.data() + from, n,
                 room);
            see(from, n, room.gradient.data(), room.hessian.data());
        }
    }
    // The same for the rows of a list; the first place is 0.
    template <class See>
    void each(std::span<const uint32_t> rows, const See& see) const {
        Room room;
        for (size_t from = 0; from < rows.size(); from += kStrip) {
            const std::span<const uint32_t> some = rows.subspan(from, std::min(kStrip, rows.size() - from));
            gather(some, room);
            see(from, some.size(), room.gradient.data(), unit_hessian() ? nullptr : room.hessian.data());
        }
    }

  private:
    enum class Kind { given, two_classes, one_class };
    struct Room {
        std::array<double, kStrip> gradient, hessian;
    };

    Slopes(Kind kind, std::span<const double> first, std::span<const double> hessian,
           std::span<const double> weight, std::span<const uint8_t> y, uint8_t number)
        : kind_(kind), first_(first), hessian_(hessian), weight_(weight), y_(y), number_(number) {}

    // Those of n rows that follow each other.
    void make(const double* first, const uint8_t* y, const double* weight, size_t n, Room& room) const;
    void gather(std::span<const uint32_t> rows, Room& room) const;

    Kind kind_;
    std::span<const double> first_;  // gradients, sums of trees, or shares
    std::span<const double> hessian_, weight_;
    std::span<const uint8_t> y_;
    uint8_t number_;
};

}  // namespace bough::boost
