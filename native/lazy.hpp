// What is made when it is first asked for, by whichever thread.
#pragma once
#include <unistd.h>

#include <atomic>

namespace bough {

template <class T>
class Lazy {
  public:
    Lazy() = default;
    ~Lazy() { delete made_.load(); }

    template <class Make>
    const T& get(const Make& make) const {
        for (;;) {
            if (const T* const made = made_.load()) return *made;
            const int own = static_cast<int>(getpid());
            int maker = 0;
            // A process that was forked meanwhile does not wait for a thread that only its parent has.
            if (maker_.compare_exchange_strong(maker, own) ||
                (maker != own && maker_.compare_exchange_strong(maker, own)))
                make_it(make);
            else
                maker_.wait(own);
        }
    }

  private:
    template <class Make>
    void make_it(const Make& make) const {
        struct Done {
            std::atomic<int>& maker;
            ~Done() {
                maker = 0;
                maker.notify_all();
            }
        } const done{maker_};
        if (!made_.load()) made_ = new T(make());
    }

    mutable std::atomic<const T*> made_{nullptr};
    mutable std::atomic<int> maker_{0};  // the process one of whose threads makes it; 0: none does
};

}  // namespace bough
