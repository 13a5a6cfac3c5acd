// The library's own threads: a pool that lives on between calls, survives fork, and never nests.
#include "parallel.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace bough {
namespace {

constexpr int kMaxThreads = 256;
constexpr int kSpins = 1000;  // some 20 microseconds
constexpr int kYields = 100;

struct Job {
    int64_t n = 0;
    const std::function<void(int64_t, int)>* task = nullptr;
    std::atomic<int64_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr error;
    std::mutex error_mutex;

    void work(int worker) {
        for (;;) {
            const int64_t i = next.fetch_add(1, std::memory_order_relaxed);
            if (i >= n || failed.load(std::memory_order_relaxed)) return;
            try {
                (*task)(i, worker);
            } catch (...) {
                const std::lock_guard lock(error_mutex);
                if (!failed.exchange(true)) error = std::current_exception();
            }
        }
    }
};

// Waits for a moment without sleeping: jobs follow each other within microseconds while a tree grows, and
// waking a thread takes longer than most of them. Says whether it happened.
template <class Happened>
bool soon(const Happened& happened) {
    for (int spin = 0; spin < kSpins; ++spin) {
        if (happened()) return true;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
    }
    for (int turn = 0; turn < kYields; ++turn) {
        if (happened()) return true;
        std::this_thread::yield();
    }
    return happened();
}

class Pool {
  public:
    // Helpers join by number: worker w may take part when w < wanted. One that comes late finds the job gone:
    // nobody waits for a thread that the system has not got round to.
    void run(Job& job, int threads, const std::function<void()>& idle) {
        while (static_cast<int>(helpers_.size()) < threads - 1) {
            const int worker = static_cast<int>(helpers_.size()) + 1;
            try {
                helpers_.emplace_back([this, worker] { loop(worker); });
            } catch (const std::system_error&) {  // no more threads to be had: go on with those there are
                threads = worker;
            }
        }
        {
            const std::lock_guard lock(mutex_);
            job_ = &job;
            wanted_ = threads;
            generation_.fetch_add(1, std::memory_order_release);
        }
        wake_.notify_all();
        job.work(0);
        {
            const std::lock_guard lock(mutex_);
            job_ = nullptr;
        }
        const auto all_back = [this] { return joined_.load(std::memory_order_acquire) == 0; };
        if (soon(all_back)) return;
        std::unique_lock lock(mutex_);
        while (!done_.wait_for(lock, std::chrono::milliseconds(20), all_back)) {
            if (!idle) continue;
            lock.unlock();
            idle();
            lock.lock();
        }
    }

    std::mutex busy;

  private:
    void loop(int worker) {
        uint64_t seen = 0;
        for (;;) {
            soon([&] { return generation_.load(std::memory_order_acquire) != seen; });
            Job* job = nullptr;
            {
                std::unique_lock lock(mutex_);
                wake_.wait(lock, [&] { return generation_.load(std::memory_order_relaxed) != seen; });
                seen = generation_.load(std::memory_order_relaxed);
                if (worker < wanted_) job = job_;
                if (!job) continue;
                joined_.fetch_add(1, std::memory_order_relaxed);
            }
            job->work(worker);
            if (joined_.fetch_sub(1, std::memory_order_release) > 1) continue;
            const std::lock_guard lock(mutex_);
            done_.notify_one();
        }
    }

    std::vector<std::thread> helpers_;
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::atomic<uint64_t> generation_{0};
    std::atomic<int> joined_{0};  // helpers at work on the job; rises only while it is there
    Job* job_ = nullptr;
    int wanted_ = 0;
};

// Never destroyed: helper threads must not be joined while the interpreter shuts down, and after fork
// the child has none of them, so it starts with a new pool and leaves the old one alone.
std::atomic<Pool*> pool{nullptr};

Pool* current_pool() {
    static std::once_flag once;
    std::call_once(once, [] {
        pool = new Pool;
        pthread_atfork(nullptr, nullptr, [] { pool = new Pool; });
    });
    return pool.load();
}

}  // namespace

void parallel_for(int64_t n, int threads, const std::function<void(int64_t, int)>& task,
                  const std::function<void()>& idle) {
    threads = static_cast<int>(std::min<int64_t>({threads, n, kMaxThreads}));
    Job job;
    job.n = n;
    job.task = &task;
    if (threads > 1) {
        Pool* const p = current_pool();
        std::unique_lock lock(p->busy, std::try_to_lock);
        if (lock.owns_lock()) {
            p->run(job, threads, idle);
        } else {
            job.work(0);
        }
    } else {
        job.work(0);
    }
    if (job.error) std::rethrow_exception(job.error);
}

int available_cores() {
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
    return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace bough
