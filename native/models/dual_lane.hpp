// What a lane of the dual methods (models/dual.hpp) sees and does.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tartib {

struct EpochStats {
  int64_t visited = 0, updated = 0, shrunk = 0;
  int64_t rounds = 0, damped = 0; // damped: those with γ < 1
  double gamma = 0;               // summed over the rounds
  double worst = 0;               // the largest violation seen
  double loss = 0;                // Σ of the primal losses of the rows visited, each with the weights of that moment

  void add(const EpochStats &other) {
    loss += other.loss;
    visited += other.visited;
    updated += other.updated;
    shrunk += other.shrunk;
    damped += other.damped;
    worst = std::max(worst, other.worst);
  }
};

struct CheckStats {
  int64_t violators = 0;
  double worst = 0, loss = 0, potential = 0; // Σ of the primal losses, Σ φ
  double norm = 0;                           // ‖w‖² of the weights that were checked

  void add(const CheckStats &other) {
    violators += other.violators;
    worst = std::max(worst, other.worst);
    loss += other.loss;
    potential += other.potential;
  }
};

// What a sample is like with the present weights: its violation v_i and its loss in the primal objective.
struct Look {
  double violation, loss;
};

// What a step did to one sample: the weights change by `weight[k]` times x, φ by `gain`.
template <int Room, typename Real> struct Change {
  std::array<Real, Room> weight;
  double gain;
};

// A vector that grows by many items at once, which the caller fills.
template <typename T> struct Log {
  std::vector<T> items;
  size_t size = 0;

  // Makes room for `more` items at the end; the caller says how many it used.
  T *room(size_t more) {
    if (size + more > items.size()) items.resize(2 * (size + more));
    return items.data() + size;
  }
};

// What a lane did, so that it can be undone, and repeated by every thread.
template <typename Real> struct alignas(128) Lane { // lanes of two threads never share a cache line
  EpochStats stats;
  Log<int32_t> columns; // touched, in the order of the first touch
  Log<Real> before;     // a stride for each: its weights then,
  Log<Real> after;      // and when the lane ended
  Log<int64_t> rows;    // updated
  Log<Real> alpha;      // K for each: the old values
  double gain;          // Δφ
  double along, square; // w·Δw and ‖Δw‖²
  double settled;       // Δφ of what is left of the changes after γ

  void clear() {
    stats = {};
    columns.size = before.size = rows.size = alpha.size = 0;
    gain = along = square = settled = 0;
  }
};

// A thread.
template <typename Real> struct alignas(128) Worker {
  std::vector<Real> w;
  std::vector<uint64_t> touched; // a bit for each column that the lane has touched
  std::vector<int64_t> rows;     // that the lane visits
};

} // namespace tartib
