// Dual coordinate methods by blocks; the result is the same for any number of threads.
//
// Problem: minimise over α  D(α) = ‖w(α)‖² / (2τ) + Σ_i φ_i(α_i), where w(α) is linear in α and each α_i lives in a
// convex set of its own. A Step (models/svm.hpp, models/mlr.hpp) knows φ, the set, and how to optimise one α_i while
// all others are fixed.
//
// Visiting one sample after another would be sequential. So the rows are cut into blocks; kLanes lanes start from the
// same w, each with some of the blocks; within a lane samples are visited one by one (Algorithm 2 of the SVM paper,
// Algorithm 1 of the MLR paper). Then their changes are added: w + γ ΣΔw, α + γΔα, with the best γ in [0, 1],
//     γ = -(w·Δw / τ + Δφ) / (‖Δw‖² / τ),
// which is exact where φ is linear (SVM), and best for an upper bound of D where φ is convex (MLR). Each lane lowers D
// by itself and D is convex, so γ = 1 / (lanes that changed anything) lowers it as well; γ is never less than that.
//
// Each thread has weights of its own, with what its lane did. A weight that one lane changed becomes what that lane
// reached, and the other thread copies it; one that both changed becomes (w + Δ0) + Δ1, in this order, in both threads.
// ‖ΣΔw‖² = ‖Δ0‖² + ‖Δ1‖² + 2 Δ0·Δ1: each lane sums up its own part, and the last term is only about weights that both
// changed. Where γ < 1, which is rare, (γ - 1) ΣΔw is added. So it does not matter which thread runs which lane; a
// thread that runs both restores what the first one changed, runs the second one, and goes on as its own thread would.
//
// The intercept is a feature of all rows, so all lanes would correct it, each for all the others. So within a lane its
// changes count (lanes + 1) / 2 times, about what the others are expected to do meanwhile, and the row's step takes
// that into account; when the lane is left they count once.
//
// Average: w follows the rows visited last, mostly in the weights of features that most rows have. The mean of w over
// an epoch does not, and its primal objective is far closer to the minimum long before w itself comes to rest.
//
// One lane is the papers' sequential method: rows are visited one by one, in any order, and nothing has to be undone.
//
// Shrinking: a row whose violation is at most ε when visited leaves the active set; later epochs do not read it.
#pragma once

#include <atomic>
#include <bit>
#include <exception>
#include <memory>

#include "base/threads.hpp"
#include "models/dual_lane.hpp"
#include "models/linear.hpp"

namespace tartib {

// Two: the more rows are visited between two merges, the less threads wait for one another and for one another's
// changes (which takes longer than computing them), but with more lanes these changes are in one another's way.
constexpr int kLanes = 2;
static_assert(kLanes == 2, "take_over knows one other lane");

// How often a lane counts its changes of the intercept.
constexpr float kSpread = (kLanes + 1) / 2.0f;

// After so many calls of run with one thread, as the cores were busy, others are tried again.
constexpr int kRest = 16;

// Rows per block: one word of the active set.
constexpr int64_t kBlockRows = 64;

class DualSolver {
public:
  virtual ~DualSolver() = default;
  // Visits the active rows of the blocks in this order, `length` blocks in each lane at a time. No block may occur
  // twice.
  virtual EpochStats run(const int64_t *blocks, int64_t count, int64_t length) = 0;
  // Visits the active ones of these rows, one after another.
  virtual EpochStats run_rows(const int64_t *rows, int64_t count) = 0;
  // Checks rows [begin, end) with w, or with its average, without changing anything.
  virtual CheckStats check(int64_t begin, int64_t end, bool averaged) = 0;
  // Rows whose violation is at most this are not updated.
  virtual void set_epsilon(double epsilon) = 0;
  // Threads that together get less than this work alone for a while.
  virtual void set_least_cores(double cores) = 0;
  // Adds w to the sum of which the average is made, or begins a new sum.
  virtual void sum_weights(bool anew) = 0;
  // Makes all rows active again.
  virtual void activate() = 0;
  // Recomputes w(α).
  virtual void refresh() = 0;
  virtual double norm() const = 0; // ‖w‖²
  virtual double potential() const = 0;
  // w or its average; of the two precisions one is empty.
  virtual void copy_weights(bool averaged, std::vector<float> &single, std::vector<double> &twice) const = 0;
};

template <typename Shape, typename Step> class BlockDualSolver final : public DualSolver {
  static constexpr int S = Shape::S;
  static constexpr bool Valued = Shape::Valued;
  using Real = typename Shape::Real;
  using Lane = tartib::Lane<Real>;
  using Worker = tartib::Worker<Real>;

public:
  BlockDualSolver(const Samples &x, Step step, Real *alpha, double epsilon, bool shrink, int threads)
      : x_(x), step_(step), stride_(stride_for<S>(step.classes())), alpha_(alpha), epsilon_(epsilon), shrink_(shrink),
        active_((x.rows + 63) / 64), workers_(std::max(1, threads)) {
    activate();
    for (size_t t = 0; t < std::min<size_t>(kLanes, workers_.size()); ++t) {
      workers_[t].w.assign(x.features() * stride_, Real{0});
      workers_[t].touched.assign((x.features() + 63) / 64, 0);
    }
  }

  EpochStats run(const int64_t *blocks, int64_t count, int64_t length) override {
    const int64_t parts = (count + length - 1) / length, rounds = (parts + kLanes - 1) / kLanes;
    const bool rests = resting_ > 0;
    resting_ -= rests;
    const int threads = rests ? 1 : std::min(kLanes, static_cast<int>(workers_.size()));
    share_weights(threads);
    EpochStats total;
    Team team(threads, least_cores_);
    std::atomic<bool> failed = false;
    bool stop = false;
    const auto work = [&](int t) {
      for (int64_t round = 0; round < rounds; ++round) {
        Lane *here = lanes_[round % 2].data();
        const int64_t first = round * kLanes;
        const int size = static_cast<int>(std::min<int64_t>(kLanes, parts - first));
        int own = t; // the lane whose changes this thread has
        for (int lane = t; lane < size; lane += team.size()) {
          const int64_t begin = (first + lane) * length;
          try {
            run_lane(blocks + begin, std::min(length, count - begin), workers_[t], here[lane]);
            leave(workers_[t], here[lane], lane + team.size() < size);
            own = lane;
          } catch (...) {
            failed = true;
          }
        }
        const bool needed = team.meet(t, [&] {
          stop = failed; // decided once, so that no thread waits for one that has left
          if (round > 0) settle(lanes_[(round + 1) % 2].data(), kLanes); // all threads are done with the last round
        });
        if (!needed || stop) return; // whom nobody waits for must not read `stop`, which may be written again
        const double gamma = merge(here, size, own, workers_[t], t == 0);
        for (int lane = t; lane < size; lane += team.size()) blend(here[lane], gamma);
        if (t == 0) {
          for (int lane = 0; lane < size; ++lane) total.add(here[lane].stats);
          ++total.rounds;
          total.damped += gamma < 1;
          total.gamma += gamma;
        }
      }
    };
    run_threads(threads, work);
    if (failed) throw std::bad_alloc();
    followed_ = team.size();
    if (team.size() < threads) resting_ = kRest;
    if (rounds > 0) settle(lanes_[(rounds - 1) % 2].data(), static_cast<int>(parts - (rounds - 1) * kLanes));
    return total;
  }

  EpochStats run_rows(const int64_t *rows, int64_t count) override {
    share_weights(1);
    EpochStats total;
    for (int64_t i = 0; i < count; ++i) {
      look_ahead(rows + i, count - i, workers_[0].w.data());
      if (active_[rows[i] / kBlockRows] >> rows[i] % kBlockRows & 1) visit_alone(rows[i], total);
    }
    total.rounds = 1;
    total.gamma = 1;
    return total;
  }

  CheckStats check(int64_t begin, int64_t end, bool averaged) override {
    const std::vector<Real> mean = averaged ? average() : std::vector<Real>();
    const std::vector<Real> &w = averaged ? mean : workers_[0].w;
    // Sums by chunk, so that the number of threads does not matter.
    const int64_t chunk = 1 << 14, chunks = (end - begin + chunk - 1) / chunk;
    std::vector<CheckStats> found(chunks);
    std::atomic<int64_t> next = 0;
    run_threads(static_cast<int>(workers_.size()), [&](int) {
      for (int64_t c; (c = next.fetch_add(1)) < chunks;)
        found[c] = check_chunk(begin + c * chunk, std::min(end, begin + (c + 1) * chunk), w.data());
    });
    CheckStats total;
    for (const CheckStats &stats : found) total.add(stats);
    for (const Real value : w) total.norm += static_cast<double>(value) * static_cast<double>(value);
    return total;
  }

  void set_epsilon(double epsilon) override { epsilon_ = epsilon; }
  void set_least_cores(double cores) override { least_cores_ = cores; }

  void sum_weights(bool anew) override {
    if (anew) {
      sum_.assign(workers_[0].w.size(), Real{0});
      summed_ = 0;
      return;
    }
    const int64_t size = static_cast<int64_t>(sum_.size()), chunk = 1 << 18;
    run_tasks(static_cast<int>(workers_.size()), (size + chunk - 1) / chunk, [&](int64_t c) {
      for (int64_t i = c * chunk; i < std::min(size, (c + 1) * chunk); ++i) sum_[i] += workers_[0].w[i];
    });
    ++summed_;
  }

  void activate() override {
    std::fill(active_.begin(), active_.end(), ~uint64_t{0});
    if (x_.rows % 64) active_.back() = (uint64_t{1} << (x_.rows % 64)) - 1;
  }

  void refresh() override {
    std::vector<double> sum(workers_[0].w.size(), 0.0);
    PerStride<S, double> coefficient{};
    potential_ = 0;
    for (int64_t r = 0; r < x_.rows; ++r) {
      step_.coefficients(r, alpha_of(r), coefficient.data());
      potential_ += step_.potential(r, alpha_of(r));
      x_.template for_each<Valued>(r, [&](int64_t j, float value) {
        for (int k = 0; k < step_.classes(); ++k) sum[j * stride_ + k] += coefficient[k] * static_cast<double>(value);
      });
    }
    norm_ = 0;
    for (const double w : sum) norm_ += w * w;
    for (size_t i = 0; i < sum.size(); ++i) workers_[0].w[i] = static_cast<Real>(sum[i]);
    followed_ = 1;
  }

  double norm() const override { return norm_; }
  double potential() const override { return potential_; }
  void copy_weights(bool averaged, std::vector<float> &single, std::vector<double> &twice) const override {
    std::vector<Real> w = averaged ? average() : workers_[0].w;
    if constexpr (std::is_same_v<Real, float>)
      single = std::move(w);
    else
      twice = std::move(w);
  }

private:
  // w itself if nothing was summed.
  std::vector<Real> average() const {
    if (summed_ == 0) return workers_[0].w;
    std::vector<Real> mean = sum_;
    for (Real &value : mean) value /= static_cast<Real>(summed_);
    return mean;
  }

  using Wide = WidePack<Real>;
  static Wide widened(Pack<Real> pack) { return __builtin_convertvector(pack, Wide); }
  static double sum_of(Wide wide) {
    double sum = 0;
    for (int k = 0; k < kPack<Real>; ++k) sum += wide[k];
    return sum;
  }

  // Threads that were idle for a while have missed the changes of the others.
  void share_weights(int threads) {
    for (int t = followed_; t < threads; ++t) {
      workers_[t].w = workers_[0].w;
      std::fill(workers_[t].touched.begin(), workers_[t].touched.end(), 0); // by a lane whose end it has missed
    }
    followed_ = threads;
  }

  Real *alpha_of(int64_t row) const { return alpha_ + row * step_.classes(); }

  void run_lane(const int64_t *blocks, int64_t count, Worker &worker, Lane &lane) {
    lane.clear();
    worker.rows.clear();
    for (const int64_t *block = blocks; block < blocks + count; ++block)
      for (uint64_t bits = active_[*block]; bits; bits &= bits - 1)
        worker.rows.push_back(*block * kBlockRows + std::countr_zero(bits));
    const int64_t rows = static_cast<int64_t>(worker.rows.size());
    for (int64_t i = 0; i < rows; ++i) {
      look_ahead(worker.rows.data() + i, rows - i, worker.w.data());
      visit(worker.rows[i], worker, lane);
    }
  }

  // Prefetches what later rows need, each step in time for the next: where a row is, its columns, their weights.
  void look_ahead(const int64_t *rows, int64_t count, const Real *w) const {
    if (3 * kAhead < count) {
      __builtin_prefetch(x_.indptr + rows[3 * kAhead]);
      __builtin_prefetch(alpha_of(rows[3 * kAhead]), 1);
    }
    if (2 * kAhead < count) __builtin_prefetch(x_.indices + x_.indptr[rows[2 * kAhead]]);
    if (kAhead < count) x_.template prefetch<S>(rows[kAhead], w, stride_);
  }

  // Computes the scores of a row and counts what they say; calls change(look) if the row needs to be changed.
  template <typename Fn> void look_at(int64_t row, const Real *w, PerStride<S, Real> &s, EpochStats &stats, Fn change) {
    score<S>(x_, row, w, stride_, s);
    const auto look = step_.look(row, s, alpha_of(row));
    ++stats.visited;
    stats.worst = std::max(stats.worst, look.violation);
    stats.loss += look.loss;
    if (look.violation > epsilon_) {
      ++stats.updated;
      return change(look);
    }
    if (shrink_) active_[row / kBlockRows] &= ~(uint64_t{1} << row % kBlockRows);
    stats.shrunk += shrink_;
  }

  // With Δw_k = d_k x, ‖w‖² grows by Σ_k d_k (2 s_k + d_k x·x).
  void visit_alone(int64_t row, EpochStats &stats) {
    PerStride<S, Real> s;
    Real *w = workers_[0].w.data();
    look_at(row, w, s, stats, [&](const auto &look) {
      Change<room_for(S), Real> change{};
      const double A = x_.template norm<Valued>(row);
      step_.update(row, A, s, alpha_of(row), change, look);
      potential_ += change.gain;
      for (int k = 0; k < step_.classes(); ++k) {
        const double d = static_cast<double>(change.weight[k]);
        norm_ += d * (2 * static_cast<double>(s[k]) + d * A);
      }
      x_.template for_each<Valued>(row, [&](int64_t j, float value) {
        for (int k = 0; k < stride_; k += kPack<Real>) {
          Real *at = w + j * stride_ + k;
          const Pack<Real> after = load_pack(at) + static_cast<Real>(value) * load_pack(change.weight.data() + k);
          std::memcpy(at, &after, sizeof after);
        }
      });
    });
  }

  void visit(int64_t row, Worker &worker, Lane &lane) {
    PerStride<S, Real> s;
    look_at(row, worker.w.data(), s, lane.stats, [&](const auto &look) {
      Real *alpha = alpha_of(row);
      *lane.rows.room(1) = row;
      ++lane.rows.size;
      std::copy_n(alpha, step_.classes(), lane.alpha.room(step_.classes()));
      lane.alpha.size += step_.classes();
      Change<room_for(S), Real> change{};
      const double others = x_.intercept ? static_cast<double>(kSpread) - 1 : 0.0;
      step_.update(row, x_.template norm<Valued>(row) + others, s, alpha, change, look);
      lane.gain += change.gain;
      change_weights(row, change.weight, worker, lane);
    });
  }

  // No branches on what was touched before, because they could not be predicted. Four weights are written at once: the
  // next row reads them at once, and would wait long for four single ones.
  void change_weights(int64_t row, const PerStride<S, Real> &change, Worker &worker, Lane &lane) {
    const RowRange range = x_.range(row); // read once, so that there is room for all of it
    const size_t most = static_cast<size_t>(range.size()) + 1;
    int32_t *columns = lane.columns.room(most);
    Real *saved = lane.before.room(most * stride_);
    uint64_t *marks = worker.touched.data();
    Real *w = worker.w.data();
    size_t touched = 0;
    x_.template for_each<Valued>(range, [&](int64_t j, float value) {
      const Real factor = j == x_.columns ? kSpread : static_cast<Real>(value);
      columns[touched] = static_cast<int32_t>(j);
      for (int k = 0; k < stride_; k += kPack<Real>) {
        Real *at = w + j * stride_ + k;
        const Pack<Real> before = load_pack(at), after = before + factor * load_pack(change.data() + k);
        std::memcpy(saved + touched * stride_ + k, &before, sizeof before);
        std::memcpy(at, &after, sizeof after);
      }
      const uint64_t marked = marks[j / 64];
      touched += ~marked >> j % 64 & 1;
      marks[j / 64] = marked | uint64_t{1} << j % 64;
    });
    lane.columns.size += touched;
    lane.before.size += touched * stride_;
  }

  // Keeps what the lane reached, and counts changes of the intercept once. Another lane of the same thread starts from
  // the weights that this one found, so for it they are restored.
  void leave(Worker &worker, Lane &lane, bool restores) {
    Real *reached = lane.after.room(lane.before.size);
    Wide along{}, square{};
    for (size_t t = 0; t < lane.columns.size; ++t) {
      const int64_t j = lane.columns.items[t];
      Real *wj = worker.w.data() + j * stride_;
      const Real *saved = lane.before.items.data() + t * stride_;
      for (int k = 0; k < stride_; k += kPack<Real>) {
        const Pack<Real> before = load_pack(saved + k);
        Pack<Real> after = load_pack(wj + k);
        if (j == x_.columns) after = before + (after - before) / kSpread;
        const Wide was = widened(before), change = widened(after - before);
        along += was * change; // a small change of a large weight would be lost in single precision
        square += change * change;
        std::memcpy(reached + t * stride_ + k, &after, sizeof after);
        const Pack<Real> left = restores ? before : after;
        std::memcpy(wj + k, &left, sizeof left);
      }
    }
    lane.along = sum_of(along);
    lane.square = sum_of(square);
    if (restores) forget(worker, lane);
  }

  // No column is touched any more.
  static void forget(Worker &worker, const Lane &lane) {
    for (size_t t = 0; t < lane.columns.size; ++t) worker.touched[lane.columns.items[t] / 64] = 0;
  }

  // Adds the changes of the other lane to those of the own one, or both if γ < 1; returns γ. Every thread does so to
  // its own weights; one thread counts.
  double merge(const Lane *lanes, int size, int own, Worker &worker, bool counts) {
    const int other = 1 - own;
    double along = 0, square = 0, gain = 0; // square: ‖ΣΔw‖²
    int busy = 0;                           // lanes that changed anything: a single one needs no damping
    for (int lane = 0; lane < size; ++lane) {
      busy += lanes[lane].rows.size > 0;
      along += lanes[lane].along;
      square += lanes[lane].square;
      gain += lanes[lane].gain;
    }
    if (other < size) {
      const double most = size < kLanes ? 0 : std::sqrt(lanes[0].square) * std::sqrt(lanes[1].square);
      square += 2 * take_over(lanes[other], own == 0, most, worker);
    }
    if (own < size) forget(worker, lanes[own]);
    const double slope = along + step_.tau * gain;
    double gamma = 1; // values close to 1 count as 1, so that α stays at bounds that it has reached
    if (busy > 1 && -slope < 0.999 * square) gamma = std::max(-slope / square, 1.0 / busy); // this lowers D too
    if (gamma < 1)
      for (int lane = 0; lane < size; ++lane) add(lanes[lane], worker.w.data(), static_cast<Real>(gamma - 1));
    if (counts) norm_ += 2 * gamma * along + gamma * gamma * square;
    return gamma;
  }

  // Takes over what the other lane reached; where both changed a weight, it becomes (w + Δ0) + Δ1. Returns Δ0·Δ1, which
  // is at most `most`. The two threads meet these weights in two orders, but must find the same sum. So its terms are
  // rounded to multiples of a power of two, by adding and subtracting a large number, so small that nothing is lost and
  // so large that the sum is exact.
  double take_over(const Lane &lane, bool own_first, double most, Worker &worker) const {
    constexpr size_t ahead = 16;
    const double large = std::ldexp(12.0, std::ilogb(most));
    Wide both{};
    Real *w = worker.w.data();
    for (size_t t = 0; t < lane.columns.size; ++t) {
      if (t + ahead < lane.columns.size) __builtin_prefetch(w + int64_t{lane.columns.items[t + ahead]} * stride_, 1);
      const int64_t j = lane.columns.items[t];
      Real *wj = w + j * stride_;
      const Real *saved = lane.before.items.data() + t * stride_, *reached = lane.after.items.data() + t * stride_;
      if (~worker.touched[j / 64] >> j % 64 & 1) {
        std::copy_n(reached, static_cast<int>(stride_), wj);
        continue;
      }
      for (int k = 0; k < stride_; k += kPack<Real>) {
        const Pack<Real> before = load_pack(saved + k), theirs = load_pack(reached + k), mine = load_pack(wj + k);
        const Pack<Real> sum = own_first ? mine + (theirs - before) : theirs + (mine - before);
        std::memcpy(wj + k, &sum, sizeof sum);
        both += (widened(theirs - before) * widened(mine - before) + large) - large;
      }
    }
    return sum_of(both);
  }

  void add(const Lane &lane, Real *w, Real factor) const {
    for (size_t t = 0; t < lane.columns.size; ++t) {
      Real *wj = w + int64_t{lane.columns.items[t]} * stride_;
      const Real *before = lane.before.items.data() + t * stride_, *after = lane.after.items.data() + t * stride_;
      for (int k = 0; k < stride_; ++k) wj[k] += factor * (after[k] - before[k]);
    }
  }

  void blend(Lane &lane, double gamma) {
    lane.settled = lane.gain;
    if (gamma == 1) return;
    lane.settled = 0; // φ may not be linear, so its change is computed anew
    for (size_t t = 0; t < lane.rows.size; ++t) {
      const int64_t row = lane.rows.items[t];
      lane.settled += step_.blend(row, alpha_of(row), lane.alpha.items.data() + t * step_.classes(), gamma);
    }
  }

  void settle(const Lane *lanes, int size) {
    for (int lane = 0; lane < size; ++lane) potential_ += lanes[lane].settled;
  }

  CheckStats check_chunk(int64_t begin, int64_t end, const Real *w) const {
    CheckStats stats;
    PerStride<S, Real> s;
    for (int64_t r = begin; r < end; ++r) {
      if (r + kAhead < end) x_.template prefetch<S>(r + kAhead, w, stride_);
      score<S>(x_, r, w, stride_, s);
      const auto look = step_.look(r, s, alpha_of(r));
      stats.violators += look.violation > epsilon_;
      stats.worst = std::max(stats.worst, look.violation);
      stats.loss += look.loss;
      stats.potential += step_.potential(r, alpha_of(r));
    }
    return stats;
  }

  const Samples x_;
  const Step step_;
  const Stride<S> stride_;
  Real *alpha_;
  double epsilon_, least_cores_ = 0.8;
  int resting_ = 0; // calls of run for which one thread does all
  const bool shrink_;
  std::vector<uint64_t> active_;
  std::vector<Worker> workers_;
  int followed_ = 1 << 30;            // number of workers with the same weights as the first
  std::array<Lane, kLanes> lanes_[2]; // of this round, and of the last one for late threads
  double norm_ = 0, potential_ = 0;
  std::vector<Real> sum_; // of weights, and of how many
  int64_t summed_ = 0;
};

} // namespace tartib
