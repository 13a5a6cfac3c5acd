// Where the time goes: nanoseconds by stage, over all threads, added up only while somebody wants to know.
#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace bough {

// `search` is counting and scanning together, where a node does both in one call.
enum class Stage : uint8_t {
    ingest,
    binning,
    bags,
    gradients,
    histograms,
    scans,
    search,
    partition,
    leaf_values
};

inline constexpr std::array<const char*, 9> kStageNames = {
    "ingest", "binning", "bags", "gradients", "histograms", "scans", "search", "partition", "leaf values"};

struct Profile {
    static inline std::atomic<bool> on{false};
    static inline std::array<std::atomic<int64_t>, kStageNames.size()> spent{};

    static void add(Stage stage, int64_t nanoseconds) {
        spent[static_cast<size_t>(stage)].fetch_add(nanoseconds, std::memory_order_relaxed);
    }
};

// Counts the time until the end of its scope; off, it costs one look.
class Timed {
  public:
    explicit Timed(Stage stage) : stage_(stage), on_(Profile::on.load(std::memory_order_relaxed)) {
        if (on_) start_ = Clock::now();
    }
    ~Timed() {
        if (on_)
            Profile::add(stage_,
                         std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count());
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

  private:
    using Clock = std::chrono::steady_clock;
    const Stage stage_;
    const bool on_;
    Clock::time_point start_;
};

template <class Work>
auto timed(Stage stage, const Work& work) {
    const Timed here(stage);
    return work();
}

}  // namespace bough
