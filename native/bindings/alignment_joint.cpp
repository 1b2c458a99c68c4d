// Bindings of the aligner that trains both directions at once.
#include "bindings/arrays.hpp"

#include <limits>
#include <mutex>

#include "alignment/joint.hpp"

static void check_words(int64_t words) {
  require(words >= 0 && words < std::numeric_limits<int32_t>::max(), "the number of words is out of range");
}

static TextSide side_of(const Array<int32_t> &ids, const Array<int64_t> &offsets, int64_t words) {
  check_words(words);
  check_offsets(offsets, ids.size(), "offsets are not valid");
  check_lengths(offsets);
  for (size_t i = 0; i < ids.size(); ++i)
    require(ids.data()[i] >= 0 && ids.data()[i] < words, "a token id is not in the vocabulary");
  return {ids.data(), copy_of(offsets), static_cast<uint32_t>(words)};
}

// A text, which Python owns and may change: ids are looked at again wherever they are read.
class BoundText {
public:
  BoundText(Array<int32_t> source_ids, Array<int64_t> source_offsets, int64_t source_words, Array<int32_t> target_ids,
            Array<int64_t> target_offsets, int64_t target_words)
      : source_ids_(source_ids), target_ids_(target_ids),
        text_{side_of(source_ids, source_offsets, source_words), side_of(target_ids, target_offsets, target_words)} {
    require(text_.source.sentences() == text_.target.sentences(), "offsets differ in length");
    require(sentences() < std::numeric_limits<uint32_t>::max(), "there are too many sentences");
  }
  const ParallelText &text() const { return text_; }
  int64_t sentences() const { return text_.source.sentences(); }

private:
  const Array<int32_t> source_ids_, target_ids_;
  const ParallelText text_;
};

static void check_threads(int threads) {
  require(threads >= 1 && threads <= 1024, "threads are out of range");
}

class BoundAligner {
public:
  BoundAligner(int64_t source_words, int64_t target_words) {
    check_words(source_words);
    check_words(target_words);
    aligner_ = std::make_unique<JointAligner>(static_cast<uint32_t>(source_words), static_cast<uint32_t>(target_words));
  }

  // Calls fn(aligner) while nobody else uses it, without the GIL.
  template <typename Fn> auto with(Fn fn) {
    nb::gil_scoped_release release;
    std::scoped_lock lock(mutex_);
    return fn(*aligner_);
  }

  void check(const BoundText &text, int64_t begin, int64_t end, int threads) const {
    check_threads(threads);
    require(text.text().source.words() == aligner_->source_words() &&
                text.text().target.words() == aligner_->target_words(),
            "the text has other vocabularies");
    require(begin >= 0 && begin <= end && end <= text.sentences(), "begin or end is out of range");
  }

  std::vector<Candidate> candidates(const Array<uint32_t> &sources, const Array<uint32_t> &targets,
                                    const Array<float> &weights, const Array<float> &priors) const {
    require(sources.size() == targets.size() && sources.size() == weights.size() && sources.size() == priors.size(),
            "the arrays of cells differ in length");
    std::vector<Candidate> cells;
    double sum = 0;
    for (size_t i = 0; i < sources.size(); ++i) {
      cells.push_back({sources.data()[i], targets.data()[i], weights.data()[i], priors.data()[i]});
      require(cells[i].source < aligner_->source_words() && cells[i].target < aligner_->target_words(),
              "a token id is not in the vocabulary");
      require(is_count(cells[i].weight) && is_count(cells[i].prior), "a count is out of range");
      sum += static_cast<double>(cells[i].prior);
    }
    require(sum <= kMostPriors, "the priors add up to too much");
    return cells;
  }

  WordParameters words(const Array<double> &counts, const Array<double> &null_counts, uint32_t size) const {
    require(counts.size() == size && null_counts.size() == size, "the counts belong to another vocabulary");
    for (size_t i = 0; i < size; ++i)
      require(is_count(counts.data()[i]) && is_count(null_counts.data()[i]), "a count is out of range");
    return {copy_of(counts), copy_of(null_counts), {}, {}};
  }

  Jumps jumps(const Array<double> &values) const {
    require(values.size() == kJumps, "there is another number of jumps");
    Jumps jumps;
    for (int d = 0; d < kJumps; ++d) {
      jumps[d] = values.data()[d];
      require(jumps[d] > 1e-20 && jumps[d] <= 1, "a jump's probability is out of range");
    }
    return jumps;
  }

  const JointAligner &aligner() const { return *aligner_; }

private:
  static constexpr double kMostPriors = 1ull << 42; // in units of 2^-20 they are added up in 64 bits

  // What a text of 2^40 words could give, so that sums of them are exact enough.
  template <typename T> static bool is_count(T value) { return value >= 0 && value <= static_cast<T>(1ull << 40); }

  std::unique_ptr<JointAligner> aligner_;
  std::mutex mutex_;
};

// Cells with a count of at least `least`, in the order of their words.
static std::tuple<NumpyArray<uint32_t>, NumpyArray<uint32_t>, NumpyArray<float>> cells_of(BoundAligner &bound,
                                                                                          float least) {
  std::vector<uint32_t> sources, targets;
  std::vector<float> counts;
  bound.with([&](JointAligner &aligner) {
    std::vector<Candidate> cells;
    aligner.lexicon().for_each([&](uint32_t source, const Cell &cell) {
      if (cell.count >= least) cells.push_back({source, cell.target, cell.count, 0});
    });
    std::sort(cells.begin(), cells.end(), [](const Candidate &a, const Candidate &b) {
      return std::pair(a.source, a.target) < std::pair(b.source, b.target);
    });
    for (const Candidate &cell : cells) {
      sources.push_back(cell.source);
      targets.push_back(cell.target);
      counts.push_back(cell.weight);
    }
  });
  return {to_numpy(std::move(sources)), to_numpy(std::move(targets)), to_numpy(std::move(counts))};
}

static NumpyArray<double> jumps_of(BoundAligner &bound, bool forward) {
  std::vector<double> values;
  bound.with(
      [&](JointAligner &aligner) { values.assign(aligner.jumps(forward).begin(), aligner.jumps(forward).end()); });
  return to_numpy(std::move(values));
}

using WordCounts = std::tuple<NumpyArray<double>, NumpyArray<double>>;

static WordCounts counts_of(BoundAligner &bound, bool source) {
  std::vector<double> counts, null_counts;
  bound.with([&](JointAligner &aligner) {
    const WordParameters &words = source ? aligner.source() : aligner.target();
    counts = words.counts;
    null_counts = words.null_counts;
  });
  return {to_numpy(std::move(counts)), to_numpy(std::move(null_counts))};
}

using Best = std::tuple<NumpyArray<int32_t>, NumpyArray<float>, NumpyArray<int32_t>, NumpyArray<float>>;

static Best best_of(BestLinks &&best) {
  return {to_numpy(std::move(best.links.positions)), to_numpy(std::move(best.links.probabilities)),
          to_numpy(std::move(best.own.positions)), to_numpy(std::move(best.own.probabilities))};
}

void bind_alignment_joint(nb::module_ &m) {
  m.attr("MOST_LINKS") = kMostLinks;
  nb::class_<BoundText>(m, "AlignmentText")
      .def(nb::init<Array<int32_t>, Array<int64_t>, int64_t, Array<int32_t>, Array<int64_t>, int64_t>(), "source_ids"_a,
           "source_offsets"_a, "source_words"_a, "target_ids"_a, "target_offsets"_a, "target_words"_a)
      .def_prop_ro("sentences", &BoundText::sentences);
  nb::class_<Likelihood>(m, "AlignmentLikelihood")
      .def_ro("source_tokens", &Likelihood::source_tokens)
      .def_ro("target_tokens", &Likelihood::target_tokens)
      .def_ro("forward", &Likelihood::forward)
      .def_ro("backward", &Likelihood::backward);
  nb::class_<BoundAligner>(m, "JointAligner")
      .def(nb::init<int64_t, int64_t>(), "source_words"_a, "target_words"_a)
      .def_prop_ro("size", [](BoundAligner &self) { return self.with([](auto &a) { return a.lexicon().size(); }); })
      .def(
          "find_candidates",
          [](BoundAligner &self, const BoundText &text, int64_t width, const Array<uint32_t> &sources,
             const Array<uint32_t> &targets, const Array<float> &weights, const Array<float> &priors, int threads) {
            self.check(text, 0, 0, threads);
            require(width >= 1, "the width is out of range");
            auto given = self.candidates(sources, targets, weights, priors);
            self.with([&](auto &a) { a.find_candidates(text.text(), width, std::move(given), threads); });
          },
          "text"_a, "width"_a, "sources"_a, "targets"_a, "weights"_a, "priors"_a, "threads"_a)
      .def(
          "restore",
          [](BoundAligner &self, const Array<uint32_t> &sources, const Array<uint32_t> &targets,
             const Array<float> &counts, const Array<float> &priors, const Array<double> &source_counts,
             const Array<double> &source_null_counts, const Array<double> &target_counts,
             const Array<double> &target_null_counts, const Array<double> &forward_jumps,
             const Array<double> &backward_jumps) {
            auto cells = self.candidates(sources, targets, counts, priors);
            auto source = self.words(source_counts, source_null_counts, self.aligner().source_words());
            auto target = self.words(target_counts, target_null_counts, self.aligner().target_words());
            const Jumps forward = self.jumps(forward_jumps), backward = self.jumps(backward_jumps);
            self.with(
                [&](auto &a) { a.restore(std::move(cells), std::move(source), std::move(target), forward, backward); });
          },
          "sources"_a, "targets"_a, "counts"_a, "priors"_a, "source_counts"_a, "source_null_counts"_a,
          "target_counts"_a, "target_null_counts"_a, "forward_jumps"_a, "backward_jumps"_a)
      .def(
          "count",
          [](BoundAligner &self, const BoundText &text, int64_t begin, int64_t end, bool with_jumps, int threads) {
            self.check(text, begin, end, threads);
            return self.with([&](auto &a) { return a.count(text.text(), begin, end, with_jumps, threads); });
          },
          "text"_a, "begin"_a, "end"_a, "with_jumps"_a, "threads"_a)
      .def(
          "maximise",
          [](BoundAligner &self, bool with_jumps, int threads) {
            check_threads(threads);
            self.with([&](auto &a) { a.maximise(with_jumps, threads); });
          },
          "with_jumps"_a, "threads"_a)
      .def(
          "align",
          [](BoundAligner &self, const BoundText &text, int64_t begin, int64_t end, float least, int threads) {
            self.check(text, begin, end, threads);
            auto [forward, backward] =
                self.with([&](auto &a) { return a.align(text.text(), begin, end, least, threads); });
            return std::tuple{best_of(std::move(forward)), best_of(std::move(backward))};
          },
          "text"_a, "begin"_a, "end"_a, "least"_a, "threads"_a)
      .def(
          "posteriors",
          [](BoundAligner &self, const BoundText &text, int64_t sentence) {
            self.check(text, sentence, sentence + 1, 1);
            const ParallelText &both = text.text();
            require(both.source.length(sentence) * both.target.length(sentence) <= kMostLinks,
                    "the sentence is too long");
            auto [forward, backward] = self.with([&](auto &a) { return a.posteriors(both, sentence); });
            return std::tuple{to_numpy(std::move(forward.posterior)), to_numpy(std::move(backward.posterior))};
          },
          "text"_a, "sentence"_a)
      .def("cells", &cells_of, "least"_a)
      .def("counts", &counts_of, "source"_a)
      .def("jumps", &jumps_of, "forward"_a);
}
