// Stopping long work: the calling thread asks now and then, the others hear of it.
#pragma once
#include <atomic>
#include <exception>
#include <functional>
#include <type_traits>

namespace bough {

struct Stopped {};

class Interrupt {
  public:
    // `poll` is called from the calling thread only and throws to stop.
    explicit Interrupt(const std::function<void()>& poll) : poll_(poll) {}

    // Throws if the work is to stop.
    void check(bool calling_thread) {
        if (calling_thread) ask();
        if (stop_.load(std::memory_order_relaxed)) throw Stopped{};
    }
    // The same without a throw, for a calling thread that waits.
    void ask() noexcept {
        if (stop_.load(std::memory_order_relaxed)) return;
        try {
            poll_();
        } catch (...) {
            reason_ = std::current_exception();
            stop_ = true;
        }
    }
    // Turns Stopped into what the poll threw.
    template <class Work>
    auto run(const Work& work) {
        try {
            if constexpr (std::is_void_v<decltype(work())>) {
                work();
                if (stop_) throw Stopped{};  // asked for after the others had checked for the last time
            } else {
                auto result = work();
                if (stop_) throw Stopped{};
                return result;
            }
        } catch (const Stopped&) {
            std::rethrow_exception(reason_);
        }
    }

  private:
    const std::function<void()>& poll_;
    std::exception_ptr reason_;
    std::atomic<bool> stop_{false};
};

}  // namespace bough
