// An array that is only read once it is made: copies of what has it share it.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "huge_pages.hpp"

namespace bough {

template <class T>
class SharedArray {
  public:
    SharedArray() = default;
    SharedArray(HugeVector<T>&& values)
        : kept_(std::make_shared<const HugeVector<T>>(std::move(values))), all_(*kept_) {}

    const T& operator[](size_t i) const { return all_[i]; }
    const T* data() const { return all_.data(); }
    size_t size() const { return all_.size(); }
    bool empty() const { return all_.empty(); }
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }

  private:
    std::shared_ptr<const HugeVector<T>> kept_;
    std::span<const T> all_;
};

}  // namespace bough
