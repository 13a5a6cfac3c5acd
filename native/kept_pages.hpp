// Memory that large arrays of a fit have left, kept for its next ones: a page that the system hands out for
// the first time is cleared and, on a virtual machine, often asked of the host first.
//     sorting:     | room to sort in |                        then rows, a table of logarithms, spare room
//     last nodes:  | entries that no node needs any more |    then nodes, and the arrays of the tree
#pragma once
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <new>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace bough {

inline constexpr size_t kLargePage = size_t{2} << 20;

// Pages of one thread, which keeps and takes them while a scope lasts; what is left goes back to the system.
class KeptPages {
  public:
    KeptPages() = default;
    KeptPages(const KeptPages&) = delete;
    KeptPages& operator=(const KeptPages&) = delete;
    ~KeptPages() { keep_at_most(0); }

    // The smallest piece that is large enough; none: null. Sizes are whole large pages.
    void* take(size_t size) {
        auto best = free_.end();
        for (auto piece = free_.begin(); piece != free_.end(); ++piece)
            if (piece->size >= size && (best == free_.end() || piece->size < best->size)) best = piece;
        if (best == free_.end()) return nullptr;
        std::byte* const at = best->at;
        best->at += size;
        best->size -= size;
        if (best->size == 0) free_.erase(best);
        return at;
    }

    // An array is gone; of some its front was kept before. Where there is no memory left to note it, it goes
    // back to the system at once.
    void keep(void* array, size_t size) noexcept {
        size_t had = 0;
        if (const auto front = front_of(array, size); front != fronts_.end()) {
            had = front->done;
            fronts_.erase(front);
        }
        const Piece rest{static_cast<std::byte*>(array) + had, size - had};
        try {
            add(rest);
        } catch (const std::bad_alloc&) {
            give_back(rest.at, rest.size);
        }
    }

    // So much of an array is not asked for any more, less than all of it: another array that begins in its
    // place is smaller then. It must go while a scope of these pages lasts.
    void keep_front(void* array, size_t size, size_t done) {
        auto front = front_of(array, size);
        if (front == fronts_.end()) front = fronts_.insert(front, {static_cast<std::byte*>(array), size, 0});
        if (done <= front->done || done >= size) return;
        add({front->at + front->done, done - front->done});
        front->done = done;
    }

    // As many pages as have so many bytes; the rest goes back to the system.
    void keep_at_most(size_t bytes) {
        const size_t size = (bytes + kLargePage - 1) / kLargePage * kLargePage;
        size_t all = 0;
        for (const Piece& piece : free_) all += piece.size;
        while (all > size) {
            Piece& last = free_.back();
            const size_t gone = std::min(last.size, all - size);
            last.size -= gone;
            all -= gone;
            give_back(last.at + last.size, gone);
            if (last.size == 0) free_.pop_back();
        }
    }

    class Scope {
      public:
        explicit Scope(KeptPages* pages) : before_(current) { current = pages; }
        ~Scope() { current = before_; }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        KeptPages* before_;
    };
    static inline thread_local KeptPages* current = nullptr;

  private:
    struct Piece {
        std::byte* at;
        size_t size;
    };

    struct Front {
        std::byte* at;
        size_t size, done;
    };

    static void give_back([[maybe_unused]] std::byte* at, [[maybe_unused]] size_t size) {
#ifdef __linux__
        munmap(at, size);
#endif
    }

    std::vector<Front>::iterator front_of(void* array, size_t size) {
        return std::find_if(fronts_.begin(), fronts_.end(),
                            [&](const Front& f) { return f.at == array && f.size == size; });
    }

    // In order of their place; neighbours become one.
    void add(Piece piece) {
        auto next = std::find_if(free_.begin(), free_.end(), [&](const Piece& f) { return f.at > piece.at; });
        if (next != free_.end() && piece.at + piece.size == next->at) {
            piece.size += next->size;
            next = free_.erase(next);
        }
        if (next != free_.begin() && std::prev(next)->at + std::prev(next)->size == piece.at) {
            std::prev(next)->size += piece.size;
        } else {
            free_.insert(next, piece);
        }
    }

    std::vector<Piece> free_;
    std::vector<Front> fronts_;
};

}  // namespace bough
