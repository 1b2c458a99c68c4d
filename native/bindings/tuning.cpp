// BLEU statistics, and tuners of weights.
#include "base/threads.hpp"
#include "bindings/arrays.hpp"
#include "tuning/mert.hpp"
#include "tuning/mira.hpp"

// Translations with their features, whose every entry was looked at once. Arrays that say where others are read are
// copied, so that they stay as they were checked; the others are kept alive.
class BoundPool {
public:
  BoundPool(Array<int64_t> offsets, Array<int32_t> stats, Array<float> dense, int64_t n_dense, Array<int64_t> indptr,
            Array<int32_t> indices, Array<float> values, int64_t n_sparse)
      : offsets_(copy_of(offsets)), indptr_(copy_of(indptr)), indices_(copy_of(indices)), stats_(stats), dense_(dense),
        values_(values) {
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    require(n_dense >= 0 && n_sparse >= 0 && n_dense <= kMost && n_sparse <= kMost, "features are out of range");
    require(!offsets_.empty() && !indptr_.empty(), "offsets are missing");
    const size_t rows = indptr_.size() - 1;
    require(stats.size() == rows * kBleuSize, "there must be ten statistics for each row");
    require(dense.size() == rows * static_cast<size_t>(n_dense), "dense features do not match the number of rows");
    require(values.size() == indices_.size(), "values and indices differ in length");
    nb::gil_scoped_release release;
    check_offsets(offsets_, rows, "offsets are not valid");
    require(offsets_.front() == 0 && offsets_.back() == static_cast<int64_t>(rows), "offsets do not cover the rows");
    check_offsets(indptr_, indices_.size(), "indptr is not valid");
    for (const int32_t index : indices_) require(index >= 0 && index < n_sparse, "a sparse feature is out of range");
    for (size_t i = 0; i < stats.size(); ++i) require(stats.data()[i] >= 0, "a statistic is negative");
    for (const auto *floats : {&dense, &values})
      for (size_t i = 0; i < floats->size(); ++i)
        require(std::isfinite(floats->data()[i]), "a feature is NaN or infinite");
    view_ = {offsets_.data(), static_cast<int64_t>(offsets_.size()) - 1,
             stats.data(),    dense.data(),
             n_dense,         indptr_.data(),
             indices_.data(), values.data(),
             n_sparse};
  }

  const TuningPool &view() const { return view_; }

private:
  const std::vector<int64_t> offsets_, indptr_;
  const std::vector<int32_t> indices_;
  const Array<int32_t> stats_;
  const Array<float> dense_, values_;
  TuningPool view_;
};

static void check_feature_weights(const TuningPool &pool, const Array<double> &weights) {
  require(static_cast<int64_t>(weights.size()) == pool.features(), "there must be one weight for each feature");
  for (size_t j = 0; j < weights.size(); ++j) require(std::isfinite(weights.data()[j]), "a weight is NaN or infinite");
}

static void check_no_empty(const TuningPool &pool) {
  for (int64_t s = 0; s < pool.sentences; ++s) require(pool.offsets[s] < pool.offsets[s + 1], "a list is empty");
}

static NumpyArray<int32_t> bleu_statistics(const Array<int32_t> &ids, const Array<int64_t> &offsets,
                                           const Array<int32_t> &reference_ids,
                                           const Array<int64_t> &reference_offsets) {
  check_offsets(offsets, ids.size(), "offsets are not valid");
  check_offsets(reference_offsets, reference_ids.size(), "reference_offsets are not valid offsets");
  require(reference_offsets.size() > 1, "a sentence needs a reference");
  for (const size_t size : {ids.size(), reference_ids.size()})
    require(size <= std::numeric_limits<int32_t>::max(), "a sentence is too long");
  std::vector<int32_t> stats;
  {
    nb::gil_scoped_release release;
    BleuReferences references(reference_ids.data(), reference_offsets.data(),
                              static_cast<int64_t>(reference_offsets.size()) - 1);
    stats.resize((offsets.size() - 1) * kBleuSize);
    for (size_t i = 0; i + 1 < offsets.size(); ++i)
      references.compare(ids.data() + offsets.data()[i], ids.data() + offsets.data()[i + 1],
                         stats.data() + i * kBleuSize);
  }
  return to_numpy(std::move(stats));
}

static double bleu_of_sums(const Array<double> &sums) {
  require(sums.size() == kBleuSize, "BLEU needs ten sums");
  BleuSums copy;
  std::copy(sums.data(), sums.data() + kBleuSize, copy.begin());
  return bleu_of(copy);
}

static NumpyArray<uint64_t> row_keys(const BoundPool &bound) {
  const TuningPool &pool = bound.view();
  std::vector<uint64_t> keys;
  {
    nb::gil_scoped_release release;
    for (int64_t s = 0; s < pool.sentences; ++s)
      for (int64_t row = pool.offsets[s]; row < pool.offsets[s + 1]; ++row) keys.push_back(row_key(pool, s, row));
  }
  return to_numpy(std::move(keys));
}

static NumpyArray<int64_t> best_rows(const BoundPool &bound, const Array<double> &weights) {
  const TuningPool &pool = bound.view();
  check_feature_weights(pool, weights);
  check_no_empty(pool);
  std::vector<int64_t> rows;
  {
    nb::gil_scoped_release release;
    for (int64_t s = 0; s < pool.sentences; ++s) rows.push_back(pool.best(s, weights.data()));
  }
  return to_numpy(std::move(rows));
}

// `orders` has the sentences of each epoch.
static std::tuple<NumpyArray<double>, NumpyArray<double>> run_mira(const BoundPool &bound, const Array<double> &start,
                                                                   const Array<double> &rates,
                                                                   const Array<int64_t> &orders, double c,
                                                                   double decay) {
  const TuningPool &pool = bound.view();
  check_feature_weights(pool, start);
  check_no_empty(pool);
  require(rates.size() == start.size(), "there must be one rate for each weight");
  for (size_t j = 0; j < rates.size(); ++j)
    require(rates.data()[j] >= 0 && rates.data()[j] <= 1, "a rate is not from 0 to 1");
  require(pool.sentences > 0 && orders.size() % pool.sentences == 0, "each epoch must visit every sentence once");
  require(c > 0 && std::isfinite(c) && decay >= 0 && decay <= 1, "an option is out of range");
  for (size_t i = 0; i < orders.size(); ++i)
    require(orders.data()[i] >= 0 && orders.data()[i] < pool.sentences, "no such sentence");
  std::vector<double> best = copy_of(start), bleus;
  {
    nb::gil_scoped_release release;
    Mira mira(pool, copy_of(start), copy_of(rates), c, decay);
    double highest = -1;
    for (size_t at = 0; at < orders.size(); at += pool.sentences) {
      mira.run_epoch(orders.data() + at, pool.sentences);
      std::vector<double> mean = mira.mean();
      bleus.push_back(pool.bleu(mean.data()));
      if (bleus.back() >= highest) highest = bleus.back(), best = std::move(mean);
    }
  }
  return {to_numpy(std::move(best)), to_numpy(std::move(bleus))};
}

static void check_dense_only(const TuningPool &pool) {
  require(pool.n_sparse == 0, "MERT cannot tune sparse features");
}

static std::tuple<double, double> search_line(const BoundPool &bound, const Array<double> &weights,
                                              const Array<double> &direction) {
  const TuningPool &pool = bound.view();
  check_dense_only(pool);
  check_no_empty(pool);
  check_feature_weights(pool, weights);
  check_feature_weights(pool, direction);
  nb::gil_scoped_release release;
  const std::vector<uint8_t> none(weights.size());
  const LineOptimum found = MertSearch(pool, copy_of(weights), none).search(direction.data());
  return {found.step, found.bleu};
}

// Runs from each of the `starts`, which have directions of their own; returns weights and BLEU of all.
static std::tuple<NumpyArray<double>, NumpyArray<double>> run_mert(const BoundPool &bound, const Array<double> &starts,
                                                                   const Array<uint8_t> &fixed,
                                                                   const Array<double> &directions, int threads) {
  const TuningPool &pool = bound.view();
  check_dense_only(pool);
  check_no_empty(pool);
  const auto size = static_cast<size_t>(pool.features());
  require(size > 0 && starts.size() % size == 0, "starts need one weight for each feature");
  const size_t count = starts.size() / size;
  require(count > 0 && directions.size() % starts.size() == 0, "every start needs the same number of directions");
  require(fixed.size() == size, "fixed must have one entry for each weight");
  require(threads >= 1 && threads <= 1024, "threads are out of range");
  for (const auto *numbers : {&starts, &directions})
    for (size_t i = 0; i < numbers->size(); ++i)
      require(std::isfinite(numbers->data()[i]), "a weight is NaN or infinite");
  for (size_t i = 0; i < directions.size(); ++i)
    require(!fixed.data()[i % size] || directions.data()[i] == 0, "a direction changes a fixed weight");
  const size_t each = directions.size() / count;
  std::vector<double> weights(starts.size()), bleus(count);
  {
    nb::gil_scoped_release release;
    const std::vector<uint8_t> mask(fixed.data(), fixed.data() + size);
    run_tasks(threads, static_cast<int64_t>(count), [&](int64_t i) {
      const double *start = starts.data() + i * size;
      MertSearch search(pool, std::vector<double>(start, start + size), mask);
      bleus[i] = search.run(directions.data() + i * each, static_cast<int64_t>(each / size));
      std::copy(search.weights().begin(), search.weights().end(), weights.begin() + static_cast<int64_t>(i * size));
    });
  }
  return {to_numpy(std::move(weights)), to_numpy(std::move(bleus))};
}

void bind_tuning(nb::module_ &m) {
  m.attr("BLEU_SIZE") = kBleuSize;
  m.def("bleu_statistics", &bleu_statistics, "ids"_a, "offsets"_a, "reference_ids"_a, "reference_offsets"_a);
  m.def("bleu_of", &bleu_of_sums, "sums"_a);
  nb::class_<BoundPool>(m, "TuningPool")
      .def(nb::init<Array<int64_t>, Array<int32_t>, Array<float>, int64_t, Array<int64_t>, Array<int32_t>, Array<float>,
                    int64_t>(),
           "offsets"_a, "stats"_a, "dense"_a, "n_dense"_a, "indptr"_a, "indices"_a, "values"_a, "n_sparse"_a)
      .def("keys", &row_keys)
      .def("best", &best_rows, "weights"_a)
      .def("mira", &run_mira, "start"_a, "rates"_a, "orders"_a, "c"_a, "decay"_a)
      .def("search_line", &search_line, "weights"_a, "direction"_a)
      .def("mert", &run_mert, "starts"_a, "fixed"_a, "directions"_a, "threads"_a);
}
