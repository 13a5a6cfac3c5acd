// The library's own threads: a pool that lives on between calls, survives fork, and never nests.
#pragma once
#include <cstdint>
#include <functional>

namespace bough {

// Runs task(i, worker) for i in [0, n), handing out the next i to whichever worker is free. The caller is
// worker 0. If the pool is busy with another caller, everything runs on the caller. The first exception is
// rethrown. `idle` is called every few milliseconds while the caller waits for the others; it must not throw.
void parallel_for(int64_t n, int threads, const std::function<void(int64_t, int)>& task,
                  const std::function<void()>& idle = nullptr);

// Cores this process may use.
int available_cores();

}  // namespace bough
