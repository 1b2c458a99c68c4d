// Threads that work on one thing, and where they wait for one another.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace tartib {

// Calls fn(t) for t < threads, each in a thread of its own. If one cannot be started, none of them runs.
template <typename Fn> void run_threads(int threads, Fn fn) {
  enum { wait, go, stop };
  std::atomic<int> state = wait;
  std::vector<std::thread> others;
  others.reserve(threads);
  const auto release = [&](int value) {
    state = value;
    state.notify_all();
  };
  try {
    for (int t = 1; t < threads; ++t)
      others.emplace_back([&, t] {
        state.wait(wait);
        if (state == go) fn(t);
      });
  } catch (...) {
    release(stop);
    for (std::thread &other : others) other.join();
    throw;
  }
  release(go);
  fn(0);
  for (std::thread &other : others) other.join();
}

// Calls fn(task) for task < tasks, each thread taking the next one that is left. The first error ends the work and is
// thrown here.
template <typename Fn> void run_tasks(int threads, int64_t tasks, Fn fn) {
  std::atomic<int64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr error;
  run_threads(static_cast<int>(std::clamp<int64_t>(tasks, 1, threads)), [&](int) {
    try {
      for (int64_t task; (task = next.fetch_add(1)) < tasks;) fn(task);
    } catch (...) {
      next = tasks;
      const std::scoped_lock lock(mutex);
      if (!error) error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
}

// Where threads wait for one another. A round takes microseconds, so they spin; a thread that waits long lets others
// run.
class SpinBarrier {
public:
  explicit SpinBarrier(int threads) : threads_(threads) {}

  // Calls `last` in the thread that arrives last, before any goes on.
  template <typename Fn> void wait(Fn last) {
    const int64_t phase = phase_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      last();
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      return;
    }
    for (int spins = 0; phase_.load(std::memory_order_acquire) == phase; ++spins)
      if (spins > kSpins) std::this_thread::yield();
  }

private:
  static constexpr int kSpins = 1 << 12;
  const int threads_;
  std::atomic<int> arrived_ = 0;
  std::atomic<int64_t> phase_ = 0;
};

} // namespace tartib
