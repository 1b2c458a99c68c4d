// Sums over rows that are the same for any number of threads.
//
// The rows are cut into chunks, whose number depends only on the data. Each thread sums a chunk into its own buffer;
// then the threads add the buffers to the result in the order of the chunks, each thread for its part of the result. So
// every number of the result is a sum of the same terms in the same order, however many threads there are.
#pragma once

#include <algorithm>
#include <barrier>
#include <bit>
#include <vector>

#include "base/threads.hpp"
#include "models/linear.hpp"

namespace tartib {

constexpr int64_t kMaxChunks = 64;
constexpr int64_t kPiece = 1024;

// Few enough chunks that adding their buffers is cheap compared to reading the rows; a power of two, so that two, four
// or eight threads have equal shares.
inline int64_t chunks_of(const Samples &x) {
  const int64_t entries = x.indptr[x.rows] - x.indptr[0];
  return std::bit_floor(static_cast<uint64_t>(std::clamp<int64_t>(entries / (16 * x.features() + 1), 1, kMaxChunks)));
}

inline int64_t chunk_begin(const Samples &x, int64_t chunk, int64_t chunks) {
  return x.rows / chunks * chunk + std::min(chunk, x.rows % chunks);
}

using Buffers = std::vector<std::vector<double>>;

// One buffer per thread, and no more threads than chunks.
inline Buffers make_buffers(const Samples &x, int threads, int64_t size) {
  return Buffers(std::min<int64_t>(threads, chunks_of(x)), std::vector<double>(size));
}

// Sets `out` to the sum of what fn(chunk, first row, last row, buffer) adds to buffers of zeros. fn must not throw.
template <typename Fn> void sum_over_chunks(const Samples &x, Buffers &buffers, double *out, Fn fn) {
  const int64_t chunks = chunks_of(x), threads = static_cast<int64_t>(buffers.size());
  const int64_t size = static_cast<int64_t>(buffers[0].size());
  std::barrier barrier(threads);
  run_threads(static_cast<int>(threads), [&](int t) {
    const int64_t begin = size / threads * t, end = t + 1 == threads ? size : size / threads * (t + 1);
    for (int64_t first = 0; first < chunks; first += threads) {
      if (const int64_t chunk = first + t; chunk < chunks) {
        std::fill(buffers[t].begin(), buffers[t].end(), 0.0);
        fn(chunk, chunk_begin(x, chunk, chunks), chunk_begin(x, chunk + 1, chunks), buffers[t].data());
      }
      barrier.arrive_and_wait();
      for (int64_t from = begin; from < end; from += kPiece) { // so that it stays in the cache
        const int64_t to = std::min(end, from + kPiece);
        for (int64_t b = 0; b < std::min(threads, chunks - first); ++b) {
          const double *buffer = buffers[b].data();
          if (first + b == 0)
            std::copy(buffer + from, buffer + to, out + from);
          else
            for (int64_t i = from; i < to; ++i) out[i] += buffer[i];
        }
      }
      barrier.arrive_and_wait();
    }
  });
}

} // namespace tartib
