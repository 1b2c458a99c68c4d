// Bindings of the language model: queries, ARPA files and estimation.
#include "bindings/lm.hpp"
#include "bindings/vocabularies.hpp"

#include <mutex>

#include "lm/arpa.hpp"
#include "lm/estimation.hpp"
#include "lm/scoring.hpp"

using Model = BoundLanguageModel;

static void check_words(const Model &model, const Array<uint32_t> &ids) {
  for (size_t i = 0; i < ids.size(); ++i) require(ids.data()[i] < model.size(), "a word id is not in the model");
}

// The model's ids of all words of a vocabulary.
static NumpyArray<uint32_t> find_all(const Model &model, const Vocabulary &words) {
  std::vector<uint32_t> ids;
  {
    nb::gil_scoped_release release;
    const ReadLock lock(words, model.vocabulary());
    ids.reserve(static_cast<size_t>(words.size()));
    for (int32_t id = 0; id < words.size(); ++id) ids.push_back(model.find_locked(words.word(id)));
  }
  return to_numpy(std::move(ids));
}

static std::tuple<NumpyArray<float>, NumpyArray<uint8_t>> score_ids(const Model &model, const Array<uint32_t> &ids,
                                                                    bool begin) {
  check_words(model, ids);
  std::vector<float> scores(ids.size());
  std::vector<uint8_t> matched(ids.size());
  {
    nb::gil_scoped_release release;
    SentenceScorer scorer(model, begin);
    for (size_t i = 0; i < scores.size(); ++i) {
      scores[i] = scorer.add(ids.data()[i]);
      matched[i] = static_cast<uint8_t>(scorer.matched());
    }
  }
  return {to_numpy(std::move(scores)), to_numpy(std::move(matched))};
}

// log10 p of each of `words` after the same context.
static NumpyArray<float> score_next(const Model &model, const Array<uint32_t> &context, const Array<uint32_t> &words,
                                    bool begin) {
  check_words(model, context);
  check_words(model, words);
  std::vector<float> scores(words.size());
  {
    nb::gil_scoped_release release;
    SentenceScorer scorer(model, begin);
    for (size_t i = 0; i < context.size(); ++i) scorer.add(context.data()[i]);
    LmState unused;
    for (size_t i = 0; i < scores.size(); ++i) scores[i] = model.score(scorer.state(), words.data()[i], unused);
  }
  return to_numpy(std::move(scores));
}

// The words, latest first, that a context leaves in the state.
static NumpyArray<uint32_t> state_after(const Model &model, const Array<uint32_t> &context, bool begin) {
  check_words(model, context);
  SentenceScorer scorer(model, begin);
  for (size_t i = 0; i < context.size(); ++i) scorer.add(context.data()[i]);
  const LmState &state = scorer.state();
  return to_numpy(std::vector<uint32_t>(state.words, state.words + state.length));
}

static std::tuple<NumpyArray<double>, NumpyArray<double>, NumpyArray<int64_t>, NumpyArray<int64_t>>
score_lines_of(const Model &model, const nb::bytes &text) {
  LineScores scores;
  {
    const std::string_view lines = view(text);
    nb::gil_scoped_release release;
    scores = score_lines(model, lines);
  }
  return {to_numpy(std::move(scores.totals)), to_numpy(std::move(scores.unknown_totals)),
          to_numpy(std::move(scores.tokens)), to_numpy(std::move(scores.unknown))};
}

static NumpyArray<uint8_t> orders_of(const Model &model) {
  std::vector<uint8_t> orders;
  {
    nb::gil_scoped_release release;
    orders = ngram_orders(model.ngrams(), static_cast<uint32_t>(model.size()), model.table_size(), model.order());
  }
  return to_numpy(std::move(orders));
}

// Lines of the n-grams of one order in the places from `begin` to `end`; `orders` are those of `orders_of`.
static nb::bytes arpa_lines(const Model &model, const Array<uint8_t> &orders, int order, int64_t begin, int64_t end) {
  require(orders.size() == model.table_size(), "orders belong to another model");
  require(order >= 1 && order <= model.order(), "the order is out of range");
  require(begin >= 0 && begin <= end && end <= static_cast<int64_t>(orders.size()), "begin or end is out of range");
  std::string lines;
  {
    nb::gil_scoped_release release;
    std::shared_lock lock(model.vocabulary().mutex());
    const ArpaWriter writer(model.vocabulary(), model.ngrams(), static_cast<uint32_t>(model.size()), model.table_size(),
                            model.order());
    for (int64_t i = begin; i < end; ++i)
      if (orders.data()[i] == order) writer.add(static_cast<uint32_t>(i), order, lines);
  }
  return nb::bytes(lines.data(), lines.size());
}

static std::tuple<NumpyArray<uint32_t>, int64_t, NumpyArray<int64_t>> table_of(NgramTable &&table) {
  return {to_numpy_as<uint32_t>(std::move(table.ngrams)), table.reach, to_numpy(std::move(table.counts))};
}

using FoundDefect = std::optional<std::tuple<int64_t, nb::bytes>>;

static FoundDefect found(const std::optional<LineDefect> &defect) {
  if (!defect) return {};
  return std::tuple{defect->line, nb::bytes(defect->problem.data(), defect->problem.size())};
}

static void bind_arpa(nb::module_ &m) {
  nb::class_<ArpaReader>(m, "ArpaReader")
      .def(nb::init<Vocabulary &>(), "vocabulary"_a, nb::keep_alive<1, 2>())
      .def(
          "feed",
          [](ArpaReader &reader, const nb::bytes &text) {
            const std::string_view lines = view(text);
            std::optional<LineDefect> defect;
            {
              nb::gil_scoped_release release;
              std::unique_lock lock(reader.vocabulary().mutex());
              defect = reader.feed(lines);
            }
            return found(defect);
          },
          "text"_a)
      .def("finish",
           [](ArpaReader &reader) {
             std::unique_lock lock(reader.vocabulary().mutex());
             return found(reader.finish());
           })
      .def_prop_ro("listed", &ArpaReader::listed)
      .def("table", [](ArpaReader &reader) {
        NgramTable table;
        {
          nb::gil_scoped_release release;
          std::unique_lock lock(reader.vocabulary().mutex());
          table = reader.table();
        }
        return table_of(std::move(table));
      });
}

// Used by one thread at a time.
struct BoundEstimator : LmEstimator {
  using LmEstimator::LmEstimator;
  std::mutex mutex;
};

// Takes the text's ids away.
static BoundEstimator *make_estimator(LmText &text, int order, int threads) {
  require(order >= 1 && order <= kMaxOrder, "the order is out of range");
  require(threads >= 1 && threads <= 1024, "the number of threads is out of range");
  nb::gil_scoped_release release;
  std::unique_lock lock(text.vocabulary().mutex());
  require(!text.ids().empty(), "there is no text");
  return new BoundEstimator(std::exchange(text.ids(), {}), static_cast<uint32_t>(text.vocabulary().size()), order,
                            threads);
}

static std::array<int64_t, 5> count_order(BoundEstimator &estimator, int64_t threshold) {
  require(threshold >= 0 && threshold < kNoNgram, "the threshold is out of range");
  nb::gil_scoped_release release;
  const std::scoped_lock alone(estimator.mutex);
  require(estimator.counted() == estimator.estimated() && estimator.counted() < estimator.order(),
          "there is no order to count");
  require(threshold >= estimator.threshold(), "the threshold must not fall");
  return estimator.count(static_cast<uint32_t>(threshold));
}

static void estimate_order(BoundEstimator &estimator, double one, double two, double more) {
  require(one >= 0 && one <= 1 && two >= 0 && two <= 2 && more >= 0 && more <= 3, "a discount is out of range");
  nb::gil_scoped_release release;
  const std::scoped_lock alone(estimator.mutex);
  require(estimator.counted() == estimator.estimated() + 1, "nothing is counted");
  estimator.estimate({0, one, two, more});
}

static void bind_estimation(nb::module_ &m) {
  nb::class_<LmText>(m, "LmText")
      .def(
          "__init__",
          [](LmText *self, Vocabulary &vocabulary, bool skip_symbols) {
            std::unique_lock lock(vocabulary.mutex());
            require(vocabulary.size() == 0, "the vocabulary is not empty");
            new (self) LmText(vocabulary, skip_symbols);
          },
          "vocabulary"_a, "skip_symbols"_a, nb::keep_alive<1, 2>())
      .def(
          "add",
          [](LmText &text, const nb::bytes &block) {
            const std::string_view lines = view(block);
            std::optional<LineDefect> defect;
            {
              nb::gil_scoped_release release;
              std::unique_lock lock(text.vocabulary().mutex());
              defect = text.add(lines);
            }
            return found(defect);
          },
          "block"_a)
      .def("__len__", [](LmText &text) { return text.ids().size(); })
      .def_prop_ro("lines", &LmText::lines)
      .def_prop_ro("skipped", &LmText::skipped);
  nb::class_<BoundEstimator>(m, "LmEstimator")
      .def(nb::new_(&make_estimator), "text"_a, "order"_a, "threads"_a)
      .def("count", &count_order, "threshold"_a)
      .def("estimate", &estimate_order, "one"_a, "two"_a, "more"_a)
      .def("finish", [](BoundEstimator &estimator) {
        NgramTable table;
        {
          nb::gil_scoped_release release;
          const std::scoped_lock alone(estimator.mutex);
          require(estimator.estimated() == estimator.order() && !estimator.finished(), "not all orders are estimated");
          table = estimator.finish();
        }
        return table_of(std::move(table));
      });
}

void bind_lm(nb::module_ &m) {
  m.attr("MAX_ORDER") = kMaxOrder;
  nb::class_<Model>(m, "LanguageModel")
      .def(nb::init<const Vocabulary &, Array<uint32_t>, int64_t, int64_t, int>(), "vocabulary"_a, "table"_a, "words"_a,
           "reach"_a, "order"_a, nb::keep_alive<1, 2>())
      .def_prop_ro("order", &Model::order)
      .def("__len__", &Model::size)
      .def_prop_ro("unknown", &Model::unknown)
      .def_prop_ro("end_word", &Model::end_word)
      .def(
          "find", [](const Model &model, const nb::bytes &word) { return model.find(view(word)); }, "word"_a)
      .def("find_all", &find_all, "words"_a)
      .def("score_ids", &score_ids, "ids"_a, "begin"_a)
      .def("score_next", &score_next, "context"_a, "words"_a, "begin"_a)
      .def("state_after", &state_after, "context"_a, "begin"_a)
      .def("score_lines", &score_lines_of, "text"_a)
      .def("orders", &orders_of)
      .def("arpa_lines", &arpa_lines, "orders"_a, "order"_a, "begin"_a, "end"_a);
  bind_arpa(m);
  bind_estimation(m);
}
