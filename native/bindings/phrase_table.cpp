// Phrase tables: building, look-up, and text files.
#include "bindings/phrase_table.hpp"

#include "bindings/phrases.hpp"
#include "bindings/vocabularies.hpp"

#include <nanobind/stl/unique_ptr.h>

#include <mutex>

#include "phrase_table/scoring.hpp"
#include "phrase_table/table_text.hpp"

using LineProblem = std::optional<std::tuple<int64_t, std::string>>; // line from 0, problem

static int64_t find_phrase(const BoundPhraseTable &table, const Array<int32_t> &words) {
  require(words.size() <= kMaxSentenceLength, "a phrase is too long");
  return table.view().find(words.data(), static_cast<int>(words.size()));
}

// The source phrases that the words [offsets[i], offsets[i + 1]) are.
static NumpyArray<int64_t> find_phrases(const BoundPhraseTable &table, const Array<int32_t> &words,
                                        const Array<int64_t> &offsets) {
  check_offsets(offsets, words.size(), "offsets are not valid");
  check_lengths(offsets);
  std::vector<int64_t> found(offsets.size() - 1);
  {
    nb::gil_scoped_release release;
    for (size_t i = 0; i < found.size(); ++i) {
      const int64_t begin = offsets.data()[i], end = offsets.data()[i + 1];
      found[i] = table.view().find(words.data() + begin, static_cast<int>(end - begin));
    }
  }
  return to_numpy(std::move(found));
}

static int64_t check_row(const BoundPhraseTable &table, int64_t row) {
  if (row < 0 || row >= table.view().rows()) throw nb::index_error("no such row");
  return row;
}
static int64_t check_phrase(const BoundPhraseTable &table, int64_t phrase) {
  if (phrase < 0 || phrase >= table.view().phrases()) throw nb::index_error("no such source phrase");
  return phrase;
}

template <typename T> static NumpyArray<T> copied(std::span<const T> values) {
  return to_numpy(std::vector<T>(values.begin(), values.end()));
}
static NumpyArray<int32_t> copied_words(Words words, int64_t vocabulary) {
  if (!std::ranges::all_of(words, [&](int32_t id) { return id >= 0 && id < vocabulary; }))
    throw ChangedData("phrase table");
  return copied(words);
}

class BoundTableReader {
public:
  BoundTableReader(Vocabulary &source, Vocabulary &target) : source_(source), target_(target), reader_(source, target) {
    require(&source != &target, "source and target need separate vocabularies");
  }

  LineProblem add(const nb::bytes &lines) {
    const std::string_view text = view(lines);
    nb::gil_scoped_release release;
    std::scoped_lock lock(source_.mutex(), target_.mutex());
    const auto defect = reader_.add(text);
    if (!defect) return std::nullopt;
    return LineProblem{{defect->line, defect->problem}};
  }

  OwnedPhraseTable finish() const {
    nb::gil_scoped_release release;
    const ReadLock lock(source_, target_);
    return reader_.finish();
  }

private:
  Vocabulary &source_, &target_;
  PhraseTableReader reader_;
};

static nb::dict arrays_of(OwnedPhraseTable &&table) {
  nb::dict arrays;
  arrays["source_ids"] = to_numpy(std::move(table.source_ids));
  arrays["source_offsets"] = to_numpy(std::move(table.source_offsets));
  arrays["row_offsets"] = to_numpy(std::move(table.row_offsets));
  arrays["target_ids"] = to_numpy(std::move(table.target_ids));
  arrays["target_offsets"] = to_numpy(std::move(table.target_offsets));
  arrays["links"] = to_numpy(std::move(table.links));
  arrays["link_offsets"] = to_numpy(std::move(table.link_offsets));
  arrays["scores"] = to_numpy(std::move(table.scores));
  arrays["counts"] = to_numpy(std::move(table.counts));
  arrays["slots"] = to_numpy(std::move(table.slots));
  return arrays;
}

static void check_vocabularies(const PhraseTable &table, const Vocabulary &source, const Vocabulary &target) {
  require(table.source_words() <= source.size() && table.target_words() <= target.size(),
          "the vocabularies do not belong to the phrase table");
}

static nb::bytes table_lines(const BoundPhraseTable &bound, const Array<float> &counts, int64_t n_counts,
                             const Vocabulary &source, const Vocabulary &target, int64_t begin, int64_t end) {
  const PhraseTable &table = bound.view();
  require(begin >= 0 && begin <= end && end <= table.phrases(), "no such source phrases");
  require(n_counts >= 0 && n_counts <= 1000 && static_cast<int64_t>(counts.size()) == table.rows() * n_counts,
          "counts do not match the number of rows");
  std::string text;
  {
    nb::gil_scoped_release release;
    const ReadLock lock(source, target);
    check_vocabularies(table, source, target);
    const PhraseTableWriter writer(table, span_of(counts), static_cast<int>(n_counts), source, target);
    for (int64_t phrase = begin; phrase < end; ++phrase) writer.add(phrase, text);
  }
  return nb::bytes(text.data(), text.size());
}

class BoundReorderingReader {
public:
  BoundReorderingReader(const BoundPhraseTable &table, const Vocabulary &source, const Vocabulary &target)
      : source_(source), target_(target), reader_(table.view(), source, target) {
    const ReadLock lock(source, target);
    check_vocabularies(table.view(), source, target);
  }

  LineProblem add(const nb::bytes &lines) {
    const std::string_view text = view(lines);
    nb::gil_scoped_release release;
    const std::scoped_lock alone(mutex_);
    const ReadLock lock(source_, target_);
    const auto defect = reader_.add(text);
    if (!defect) return std::nullopt;
    return LineProblem{{defect->line, defect->problem}};
  }
  std::tuple<NumpyArray<float>, int> finish() {
    const std::scoped_lock alone(mutex_);
    const int columns = reader_.columns();
    return {to_numpy(reader_.finish()), columns};
  }

private:
  const Vocabulary &source_, &target_;
  std::mutex mutex_;
  ReorderingTableReader reader_;
};

static std::unique_ptr<LexicalTable> count_words(const BoundBlock &block, const Vocabulary &source,
                                                 const Vocabulary &target, bool all) {
  nb::gil_scoped_release release;
  const ReadLock lock(source, target);
  check_ids(block.source_ids(), source);
  check_ids(block.target_ids(), target);
  return std::make_unique<LexicalTable>(block.view(), source.size(), target.size(), all);
}

// The steps of building, one after another, so that the caller can tell how far it is.
class BoundPhraseScorer {
public:
  BoundPhraseScorer(const BoundBlock &block, const LexicalTable &lexical, const Vocabulary &source,
                    const Vocabulary &target, bool all, int64_t threads) {
    require(threads >= 1 && threads <= 1024, "the number of threads is out of range");
    nb::gil_scoped_release release;
    const ReadLock lock(source, target);
    check_ids(block.source_ids(), source);
    check_ids(block.target_ids(), target);
    require(lexical.source_words() == source.size() && lexical.target_words() == target.size(),
            "the lexical table belongs to other vocabularies");
    source_order_ = std::make_unique<TextOrder>(source);
    target_order_ = std::make_unique<TextOrder>(target);
    scorer_ = std::make_unique<PhraseScorer>(block.view(), lexical, *source_order_, *target_order_, all,
                                             static_cast<int>(threads));
  }

  void prepare(int step) {
    nb::gil_scoped_release release;
    const std::scoped_lock alone(mutex_);
    require(step == done_ && step < 3, "the steps are 0, 1 and 2, in this order");
    if (step == 0) scorer_->index_sources();
    if (step == 1) scorer_->index_targets();
    if (step == 2) scorer_->group();
    ++done_;
  }

  nb::dict score(int discounting, int64_t min_count, int64_t limit, std::optional<double> significance, bool relative) {
    require(discounting >= 0 && discounting <= static_cast<int>(Discounting::kneser_ney), "no such discounting");
    require(limit >= 0, "the limit must be 0 or more");
    OwnedPhraseTable table;
    {
      nb::gil_scoped_release release;
      const std::scoped_lock alone(mutex_);
      require(done_ == 3, "earlier steps are missing");
      table = scorer_->score({static_cast<Discounting>(discounting), min_count, limit, significance.has_value(),
                              significance.value_or(0), relative});
    }
    return arrays_of(std::move(table));
  }

private:
  std::mutex mutex_;
  int done_ = 0;
  std::unique_ptr<TextOrder> source_order_, target_order_;
  std::unique_ptr<PhraseScorer> scorer_;
};

static void bind_scoring(nb::module_ &m) {
  m.attr("NO_DISCOUNTING") = static_cast<int>(Discounting::none);
  m.attr("GOOD_TURING") = static_cast<int>(Discounting::good_turing);
  m.attr("KNESER_NEY") = static_cast<int>(Discounting::kneser_ney);
  const auto copy = [](const auto &values) { return to_numpy(std::vector(values)); };
  nb::class_<LexicalTable>(m, "LexicalTable")
      .def_prop_ro(
          "sources", [copy](const LexicalTable &t) { return copy(t.sources()); }, nb::rv_policy::move)
      .def_prop_ro(
          "targets", [copy](const LexicalTable &t) { return copy(t.targets()); }, nb::rv_policy::move)
      .def_prop_ro("counts", [copy](const LexicalTable &t) { return copy(t.counts()); }, nb::rv_policy::move);
  m.def("count_words", &count_words, "block"_a, "source_vocabulary"_a, "target_vocabulary"_a, "all"_a);
  nb::class_<BoundPhraseScorer>(m, "PhraseScorer")
      .def(nb::init<const BoundBlock &, const LexicalTable &, const Vocabulary &, const Vocabulary &, bool, int64_t>(),
           "block"_a, "lexical"_a, "source_vocabulary"_a, "target_vocabulary"_a, "all"_a, "threads"_a,
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def("prepare", &BoundPhraseScorer::prepare, "step"_a)
      .def("score", &BoundPhraseScorer::score, "discounting"_a, "min_count"_a, "limit"_a, "significance"_a.none(),
           "relative"_a);
}

void bind_phrase_table(nb::module_ &m) {
  bind_scoring(m);
  nb::class_<BoundPhraseTable>(m, "PhraseTable")
      .def(nb::init<Array<int32_t>, Array<int64_t>, Array<int64_t>, Array<int32_t>, Array<int64_t>, Array<uint32_t>,
                    Array<int64_t>, Array<float>, Array<uint64_t>, int, int64_t, int64_t>(),
           "source_ids"_a, "source_offsets"_a, "row_offsets"_a, "target_ids"_a, "target_offsets"_a, "links"_a,
           "link_offsets"_a, "scores"_a, "slots"_a, "n_scores"_a, "source_words"_a, "target_words"_a)
      .def_prop_ro("phrases", [](const BoundPhraseTable &t) { return t.view().phrases(); })
      .def_prop_ro("rows", [](const BoundPhraseTable &t) { return t.view().rows(); })
      .def_prop_ro("n_scores", [](const BoundPhraseTable &t) { return t.view().n_scores(); })
      .def_prop_ro("max_source_length", [](const BoundPhraseTable &t) { return t.view().max_source_length(); })
      .def(
          "check", [](const BoundPhraseTable &t) { t.view().check(); }, nb::call_guard<nb::gil_scoped_release>())
      .def("find", &find_phrase, "words"_a)
      .def("find_all", &find_phrases, "words"_a, "offsets"_a)
      .def(
          "options",
          [](const BoundPhraseTable &t, int64_t phrase) {
            const auto [begin, end] = t.view().options(check_phrase(t, phrase));
            return std::tuple(begin, end);
          },
          "phrase"_a)
      .def(
          "source",
          [](const BoundPhraseTable &t, int64_t phrase) {
            return copied_words(t.view().source(check_phrase(t, phrase)), t.view().source_words());
          },
          "phrase"_a)
      .def(
          "target",
          [](const BoundPhraseTable &t, int64_t row) {
            return copied_words(t.view().target(check_row(t, row)), t.view().target_words());
          },
          "row"_a)
      .def(
          "links",
          [](const BoundPhraseTable &t, int64_t row) {
            const size_t length = t.view().source(t.view().phrase_of(check_row(t, row))).size();
            return copied(t.view().links(row, length));
          },
          "row"_a);
  m.def("phrase_table_lines", &table_lines, "table"_a, "counts"_a, "n_counts"_a, "source_vocabulary"_a,
        "target_vocabulary"_a, "begin"_a, "end"_a);
  nb::class_<BoundTableReader>(m, "PhraseTableReader")
      .def(nb::init<Vocabulary &, Vocabulary &>(), "source_vocabulary"_a, "target_vocabulary"_a, nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>())
      .def("add", &BoundTableReader::add, "lines"_a)
      .def("finish", [](const BoundTableReader &reader) {
        OwnedPhraseTable table = reader.finish();
        const int n_scores = table.n_scores, n_counts = table.n_counts;
        return std::tuple(arrays_of(std::move(table)), n_scores, n_counts);
      });
  nb::class_<BoundReorderingReader>(m, "ReorderingTableReader")
      .def(nb::init<const BoundPhraseTable &, const Vocabulary &, const Vocabulary &>(), "table"_a,
           "source_vocabulary"_a, "target_vocabulary"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
           nb::keep_alive<1, 4>())
      .def("add", &BoundReorderingReader::add, "lines"_a)
      .def("finish", &BoundReorderingReader::finish);
}
