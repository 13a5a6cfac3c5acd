"""Memory that a fit uses again, by a small program from the core's own headers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

COMPILER = shutil.which(os.environ.get("CXX", "c++"))
NATIVE = Path(__file__).parents[2] / "native"
PROGRAM = r"""
#include <sys/mman.h>
#include <sys/resource.h>
#include <cassert>
#include <cstdlib>
#include "huge_pages.hpp"

static bool full = false;
void* operator new(std::size_t n) {
    if (full) throw std::bad_alloc();
    return std::malloc(n);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

constexpr std::size_t MB = std::size_t{1} << 20;
bool mapped(char* at) { return msync(at, 4096, MS_ASYNC) == 0; }

char* array_that_goes() {
    bough::UnclearedVector<char> array(10 * MB);
    return array.data();
}

int main() {
    char* at = nullptr;
    {
        bough::KeptPages pages;
        const bough::KeptPages::Scope here(&pages);
        at = array_that_goes();
        pages.keep_at_most(5'600'008);  // no whole pages
        assert(mapped(at) && mapped(at + 6 * MB - 4096));
        assert(!mapped(at + 6 * MB) && !mapped(at + 10 * MB - 4096));
        bough::UnclearedVector<char> again(6 * MB);
        assert(again.data() == at);
    }
    assert(!mapped(at));

    bough::KeptPages pages;
    const bough::KeptPages::Scope here(&pages);
    {
        bough::UnclearedVector<char> array(10 * MB);
        at = array.data();
        full = true;
    }
    assert(!mapped(at));
    full = false;

    std::vector<bough::UnclearedVector<char>> apart;
    for (int i = 0; i < 9; ++i) apart.emplace_back(64 * MB);
    for (int i = 0; i < 9; i += 2) bough::UnclearedVector<char>().swap(apart[i]);
    const rlimit least{900 * MB, 900 * MB};
    setrlimit(RLIMIT_AS, &least);
    const bough::UnclearedVector<char> large(400 * MB);  // beside 256 MB that are in use
    assert(mapped(const_cast<char*>(large.data())));
}
"""


@pytest.mark.skipif(sys.platform != "linux" or COMPILER is None, reason="large arrays have pages on Linux")
def test_pages_that_are_not_kept_go_back_to_the_system(tmp_path: Path) -> None:
    """Also where the room to keep is no whole number of pages, where no memory is left to note them, and
    where the system has none for an array that no piece is large enough for."""
    (tmp_path / "kept.cpp").write_text(PROGRAM)
    program = str(tmp_path / "kept")
    assert COMPILER is not None
    subprocess.run(
        [COMPILER, "-std=c++20", "-O1", f"-I{NATIVE}", str(tmp_path / "kept.cpp"), "-o", program], check=True
    )
    env = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # a sanitizer's library
    subprocess.run([program], check=True, env=env)
