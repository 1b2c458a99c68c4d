// Threads that work on one thing, and where they wait for one another.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <ctime>
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

// Threads that work in rounds, and wait for one another after each of them. As a rule all are ready at about the same
// time, so they spin; a thread that waits long sleeps, as the one that it waits for may need its core. Where other
// programs take so much of the cores that waiting costs more than help brings, the first thread goes on alone.
class Team {
public:
  // Alone where all threads together get less than this many cores.
  Team(int threads, double least_cores) : size_(threads), least_cores_(least_cores), members_(threads) {}

  int size() const { return size_; }

  // Waits for all; calls `last` in the thread that arrives last, before any goes on. Returns false in a thread that is
  // no longer needed.
  template <typename Fn> bool meet(int t, Fn last) {
    if (size_ == 1) {
      last();
      return true;
    }
    const int phase = phase_.load(std::memory_order_acquire), round = rounds_ % kPeriod;
    const int size = size_; // before the last one, which may change it, can have arrived
    if (round == 0) members_[t].began = cpu_seconds();
    if (round == kPeriod - 1) members_[t].used = cpu_seconds() - members_[t].began;
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < size) {
      const auto over = [&] { return phase_.load(std::memory_order_acquire) != phase; };
      for (int spins = 0; spins < kSpins; ++spins)
        if (over()) return t < size_;
      std::unique_lock lock(mutex_);
      changed_.wait(lock, over);
    } else {
      last();
      look_at_clocks(round);
      arrived_.store(0, std::memory_order_relaxed);
      {
        const std::scoped_lock lock(mutex_); // nobody falls asleep between looking at the phase and waiting
        phase_.store(phase ^ 1, std::memory_order_release);
      }
      changed_.notify_all();
    }
    return t < size_;
  }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kSpins = 1 << 16, kPeriod = 32; // spins: a tenth of a millisecond, about
  struct alignas(64) Member {
    double began = 0, used = 0; // processor seconds of the thread
  };

  static double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  void look_at_clocks(int round) {
    ++rounds_;
    if (round == 0) began_ = Clock::now();
    if (round < kPeriod - 1) return;
    double used = 0;
    for (const Member &member : members_) used += member.used;
    if (used < least_cores_ * std::chrono::duration<double>(Clock::now() - began_).count()) size_ = 1;
  }

  int size_; // this and the next are changed while all others wait
  int rounds_ = 0;
  const double least_cores_;
  std::vector<Member> members_;
  Clock::time_point began_;
  std::atomic<int> arrived_ = 0, phase_ = 0; // phase: 0 and 1 in turn
  std::mutex mutex_;
  std::condition_variable changed_; // the phase
};

} // namespace tartib
