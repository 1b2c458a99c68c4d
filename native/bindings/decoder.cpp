// Translation options, search and n-best lists.
#include "bindings/lm.hpp"
#include "bindings/phrase_table.hpp"
#include "decoder/nbest.hpp"

template <typename T> static NumpyArray<T> copied(const std::vector<T> &values) {
  return to_numpy(std::vector<T>(values));
}

static void require_finite(double value, const char *message) {
  require(std::isfinite(value), message);
}

static void check_lm_words(const uint32_t *words, size_t count, const LanguageModel &lm) {
  for (size_t i = 0; i < count; ++i) require(words[i] < lm.size(), "a word is not in the language model");
}

static void new_finder(OptionFinder *self, const BoundPhraseTable &table, const BoundLanguageModel &lm,
                       const Array<uint32_t> &lm_of_target, const Array<double> &score_weights, double lm_weight,
                       double word_weight, double phrase_weight, double unknown_weight, int64_t limit,
                       bool drop_unknown) {
  require(static_cast<int64_t>(lm_of_target.size()) >= table.view().target_words(), "lm_of_target is too short");
  check_lm_words(lm_of_target.data(), lm_of_target.size(), lm);
  require(static_cast<int64_t>(score_weights.size()) == table.view().n_scores(),
          "there must be one weight for each score of the table");
  OptionWeights weights{{}, lm_weight, word_weight, phrase_weight, unknown_weight};
  weights.scores = copy_of(score_weights);
  for (const double weight : weights.scores) require_finite(weight, "a weight is NaN or infinite");
  for (const double weight : {lm_weight, word_weight, phrase_weight, unknown_weight})
    require_finite(weight, "a weight is NaN or infinite");
  new (self) OptionFinder(table.view(), lm, copy_of(lm_of_target), std::move(weights), limit, drop_unknown);
}

static ForcedTranslations forced_translations(const Array<int64_t> &starts, const Array<int64_t> &ends,
                                              const Array<double> &logs, const Array<int32_t> &target_ids,
                                              const Array<uint32_t> &lm_words, const Array<int64_t> &target_offsets,
                                              int64_t words, bool exclusive) {
  require(starts.size() == ends.size() && starts.size() == logs.size() && starts.size() + 1 == target_offsets.size() &&
              target_ids.size() == lm_words.size(),
          "the arrays of forced translations differ in length");
  check_offsets(target_offsets, target_ids.size(), "target_offsets are not valid offsets");
  ForcedTranslations forced;
  Span last{0, 0};
  for (size_t i = 0; i < starts.size(); ++i) {
    const int64_t start = starts.data()[i], end = ends.data()[i];
    require(start >= 0 && start < end && end <= words, "a forced span reaches beyond its sentence, or is empty");
    const Span span{static_cast<int32_t>(start), static_cast<int32_t>(end)};
    require(span.start >= last.end || (span.start == last.start && span.end == last.end),
            "forced spans overlap, or are not in order");
    forced.spans.push_back(last = span);
    const int64_t length = target_offsets.data()[i + 1] - target_offsets.data()[i];
    require(length >= 1 && length <= kMaxDecodedWords, "a forced translation is empty or too long");
    require(logs.data()[i] <= 0 && logs.data()[i] >= kLowestScore, "a logarithm is out of range");
  }
  forced.logs = copy_of(logs);
  forced.target_ids = copy_of(target_ids);
  forced.lm_words = copy_of(lm_words);
  forced.target_offsets = copy_of(target_offsets);
  forced.exclusive = exclusive;
  return forced;
}

static TranslationOptions find_options(OptionFinder &finder, const Array<int32_t> &source,
                                       const Array<int32_t> &as_target, const Array<uint32_t> &lm_of_source,
                                       const Array<int64_t> &starts, const Array<int64_t> &ends,
                                       const Array<double> &logs, const Array<int32_t> &target_ids,
                                       const Array<uint32_t> &lm_of_targets, const Array<int64_t> &target_offsets,
                                       bool exclusive) {
  require(source.size() == as_target.size() && source.size() == lm_of_source.size(),
          "the arrays of words differ in length");
  require(source.size() <= kMaxDecodedWords, "the sentence is too long");
  check_lm_words(lm_of_source.data(), lm_of_source.size(), finder.lm());
  check_lm_words(lm_of_targets.data(), lm_of_targets.size(), finder.lm());
  const int32_t words = static_cast<int32_t>(source.size());
  const ForcedTranslations forced =
      forced_translations(starts, ends, logs, target_ids, lm_of_targets, target_offsets, words, exclusive);
  nb::gil_scoped_release release;
  return finder.find(source.data(), as_target.data(), lm_of_source.data(), words, forced);
}

static nb::dict option_arrays(const TranslationOptions &options) {
  std::vector<int64_t> starts, lengths;
  for (int64_t o = 0; o < options.size(); ++o) {
    starts.push_back(options.span(o).start);
    lengths.push_back(options.span(o).length());
  }
  nb::dict result;
  result["rows"] = copied(options.rows);
  result["given"] = copied(options.given);
  result["starts"] = to_numpy(std::move(starts));
  result["lengths"] = to_numpy(std::move(lengths));
  result["target_ids"] = copied(options.target_ids);
  result["target_offsets"] = copied(options.target_offsets);
  result["links"] = copied(options.links);
  result["link_offsets"] = copied(options.link_offsets);
  return result;
}

using Scores = std::optional<Array<float>>;

static const float *checked_scores(const Scores &scores, const TranslationOptions &options) {
  if (!scores) return nullptr;
  require(static_cast<int64_t>(scores->size()) == 4 * options.size(),
          "there must be four orientation scores for each option");
  for (size_t i = 0; i < scores->size(); ++i)
    require_finite(scores->data()[i], "an orientation score is NaN or infinite");
  return scores->data();
}

using Sums = std::optional<Array<double>>;

static const double *checked_sums(const Sums &sums, const TranslationOptions &options) {
  if (!sums) return nullptr;
  require(static_cast<int64_t>(sums->size()) == 4 * (int64_t{options.words} + 1),
          "scores of words between need four sums for each position");
  for (size_t i = 0; i < sums->size(); ++i) require_finite(sums->data()[i], "a score of a word is NaN or infinite");
  return sums->data();
}

static void release_into(nb::dict &result, StepFeatures &steps) {
  result["lm"] = to_numpy(std::move(steps.lm));
  result["distortion"] = to_numpy(std::move(steps.distortion));
  result["phrase_codes"] = to_numpy(std::move(steps.phrase_codes));
  result["hier_codes"] = to_numpy(std::move(steps.hier_codes));
  result["next_codes"] = to_numpy(std::move(steps.next_codes));
}

// The hypotheses that a search kept; the first is the empty one, and all others are steps.
struct GraphArrays {
  std::vector<double> scores;
  std::vector<int32_t> parents, steps, best;
  StepFeatures features;

  void fill(const std::vector<Hypothesis> &graph, SearchSpace &space) {
    for (size_t i = 0; i < graph.size(); ++i) {
      scores.push_back(graph[i].score);
      parents.push_back(graph[i].parent);
      // Arcs follow their best hypothesis.
      best.push_back(i > 0 && graph[i - 1].arcs >= 0 ? best[i - 1] : static_cast<int32_t>(i));
      if (i == 0) continue;
      steps.push_back(graph[i].option);
      space.add_step(graph[graph[i].parent], graph[i].option, features);
    }
  }
  nb::dict release() {
    nb::dict result;
    result["scores"] = to_numpy(std::move(scores));
    result["parents"] = to_numpy(std::move(parents));
    result["steps"] = to_numpy(std::move(steps));
    result["best"] = to_numpy(std::move(best));
    release_into(result, features);
    return result;
  }
};

// The paths of an n-best list, one after another.
struct PathArrays {
  std::vector<double> totals;
  std::vector<int32_t> steps;
  std::vector<int64_t> offsets{0}; // of the steps
  StepFeatures features;

  void add(const Path &path, const TranslationOptions &options, const LanguageModel &lm) {
    totals.push_back(path.total);
    steps.insert(steps.end(), path.steps.begin(), path.steps.end());
    offsets.push_back(static_cast<int64_t>(steps.size()));
    add_steps(path, options, lm, features);
  }
  nb::dict release() {
    nb::dict result;
    result["totals"] = to_numpy(std::move(totals));
    result["steps"] = to_numpy(std::move(steps));
    result["offsets"] = to_numpy(std::move(offsets));
    release_into(result, features);
    return result;
  }
};

static constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max(); // of stacks, lists and arcs: all there are

static nb::dict search(const BoundLanguageModel &lm, const TranslationOptions &options, const Scores &phrase_backward,
                       const Scores &phrase_forward, const Sums &phrase_between, const Scores &hier_backward,
                       const Scores &hier_forward, const Sums &hier_between, double lm_weight, double distortion_weight,
                       int64_t limit, int64_t stack, double threshold, int64_t pops, int64_t nbest, bool distinct,
                       bool keep_graph) {
  check_lm_words(options.lm_words.data(), options.lm_words.size(), lm);
  require_finite(lm_weight, "a weight is NaN or infinite");
  require_finite(distortion_weight, "a weight is NaN or infinite");
  require(!std::isnan(threshold) && threshold <= 0, "the threshold must be a logarithm, at most 0");
  require(stack >= 0 && pops >= 0 && nbest >= 1, "a size is negative");
  stack = std::min(stack, kMaxSize);
  nbest = std::min(nbest, kMaxSize);
  const OrientationScores phrase{checked_scores(phrase_backward, options), checked_scores(phrase_forward, options),
                                 checked_sums(phrase_between, options)};
  const OrientationScores hier{checked_scores(hier_backward, options), checked_scores(hier_forward, options),
                               checked_sums(hier_between, options)};
  const int32_t distortion_limit = static_cast<int32_t>(std::clamp<int64_t>(limit, -1, kMaxDecodedWords));
  const int64_t paths_wanted = distinct ? nbest * PathFinder::kTries : nbest;
  const int64_t arcs = keep_graph ? kMaxSize : std::min(paths_wanted, kMaxSize) - 1;
  PathArrays paths;
  GraphArrays graph;
  {
    nb::gil_scoped_release release;
    SearchSpace space(lm, options, phrase, hier, {lm_weight, distortion_weight, distortion_limit});
    Search search(space, {stack, threshold, pops, arcs});
    if (const int32_t best = search.run(); best >= 0)
      for (const Path &path : PathFinder(search.graph(), options).find(best, nbest, distinct))
        paths.add(path, options, lm);
    if (keep_graph) graph.fill(search.graph(), space);
  }
  nb::dict result = paths.release();
  if (keep_graph) result["graph"] = graph.release();
  return result;
}

void bind_decoder(nb::module_ &m) {
  m.attr("MAX_DECODED_WORDS") = kMaxDecodedWords;
  nb::class_<TranslationOptions>(m, "TranslationOptions")
      .def("__len__", &TranslationOptions::size)
      .def("arrays", &option_arrays);
  nb::class_<OptionFinder>(m, "OptionFinder")
      .def("__init__", &new_finder, "table"_a, "lm"_a, "lm_of_target"_a, "score_weights"_a, "lm_weight"_a,
           "word_weight"_a, "phrase_weight"_a, "unknown_weight"_a, "limit"_a, "drop_unknown"_a, nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>())
      .def("find", &find_options, "source"_a, "as_target"_a, "lm_of_source"_a, "starts"_a, "ends"_a, "logs"_a,
           "target_ids"_a, "lm_of_targets"_a, "target_offsets"_a, "exclusive"_a);
  m.def("search", &search, "lm"_a, "options"_a, "phrase_backward"_a.none(), "phrase_forward"_a.none(),
        "phrase_between"_a.none(), "hier_backward"_a.none(), "hier_forward"_a.none(), "hier_between"_a.none(),
        "lm_weight"_a, "distortion_weight"_a, "limit"_a, "stack"_a, "threshold"_a, "pops"_a, "nbest"_a, "distinct"_a,
        "keep_graph"_a);
}
