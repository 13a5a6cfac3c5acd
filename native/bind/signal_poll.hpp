// Lets Ctrl-C through while the core works.
#pragma once
#include <nanobind/nanobind.h>

#include <chrono>

namespace bough {

// Python's signal handlers run every 50 ms at most; called without the interpreter lock.
class SignalPoll {
  public:
    void operator()() {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(50)) return;
        last_ = now;
        const nanobind::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    }

  private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace bough
