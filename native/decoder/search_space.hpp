// The space of phrase-based search: what may come next, and what it scores.
//
//   maximise over segmentations, orders and options   sum_k w_k h_k
//   subject to                                        each source word covered once,
//                                                     no jump longer than the distortion limit.
//
// Hypotheses grow from left to right in the target. What an option scores by itself was found before the search. What
// depends on the hypothesis is told by its state: the language model's, the place of the last phrase (distortion and
// `phrase` orientation), the blocks of the `hier` orientation, and the forward scores that are still to be used. The
// weighted orientation scores of an option are four numbers, one a code, summed over all reordering models; so it does
// not matter here how many models there are, or where their probabilities come from.
//
// The estimate for the words that are still open is the best that options can reach by themselves (`future`).
#pragma once

#include <cmath>

#include "decoder/hypotheses.hpp"
#include "decoder/hypothesis_orientation.hpp"
#include "decoder/translation_options.hpp"
#include "lm/cached_scores.hpp"

namespace tartib {

// Weighted orientation scores, four for each option, or nothing: of the option itself by where it lies, seen from
// what comes before (backward); and of the option by where what comes after it lies (forward). And of source words that
// lie between an option and the phrase before it: for each code the sums over the words before each place.
struct OrientationScores {
  const float *backward = nullptr, *forward = nullptr;
  const double *between = nullptr;

  double of_gap(Span last, Span span, unsigned code, int32_t words) const {
    const double *sums = between + static_cast<size_t>(code) * (words + 1);
    if (span.start >= last.end) return sums[span.start] - sums[last.end];
    return last.start >= span.end ? sums[last.start] - sums[span.end] : 0.0;
  }
};

// What steps add to the features that depend on more than one option: natural logarithms of the language model,
// distortion, and the codes of their orientations, seen from what comes before.
struct StepFeatures {
  std::vector<double> lm, distortion;
  std::vector<uint8_t> phrase_codes, hier_codes, next_codes;

  void add(double log10, Span last, Span span, unsigned hier_code, const Coverage &covered) {
    lm.push_back(kLog10 * log10);
    distortion.push_back(-std::abs(span.start - last.end));
    phrase_codes.push_back(static_cast<uint8_t>(move_code(last, span)));
    hier_codes.push_back(static_cast<uint8_t>(hier_code));
    next_codes.push_back(static_cast<uint8_t>(move_code_to_next(last, span, covered)));
  }
};

struct SpaceSettings {
  double lm_weight, distortion_weight;
  int32_t limit; // of distortion; negative for none
};

class SearchSpace {
public:
  // What is added to a coverage, and what the words that are then open promise. Most extensions lead to nothing that is
  // kept, so the new coverage gets its number when it is first needed.
  struct Extension {
    int32_t group, from;
    double future;
    int32_t coverage = -1;
  };
  // What is known of an extension before an option is chosen.
  struct Approach {
    double base;
    int32_t blocks;
    uint8_t phrase_code, hier_code;
  };

  SearchSpace(const LanguageModel &lm, const TranslationOptions &options, OrientationScores phrase,
              OrientationScores hier, const SpaceSettings &settings)
      : options_(options), phrase_(phrase), hier_(hier), settings_(settings), lm_(lm), end_word_(lm.end_word()),
        uses_hier_(hier.backward || hier.between),
        uses_span_(phrase.backward || phrase.forward || hier.forward || phrase.between || hier.between) {
    index_groups();
    number_forward_rows();
    find_future();
  }

  const TranslationOptions &options() const { return options_; }
  int64_t coverages() const { return coverages_.size(); }
  double weighted_lm(float log10) const { return settings_.lm_weight * kLog10 * log10; }

  Hypothesis root() {
    const int32_t nothing = coverage_id({});
    return {0.0, future_of({}), {nothing, lm_.begin(), 0, BlockStacks::kEmpty, 0}, -1, -1, -1};
  }

  // The spans that fit, and after which the first gap can still be reached: they begin there or end near it. So nothing
  // is ever covered that is farther from the gap, and the next one can be reached from it.
  std::vector<Extension> extensions_of(int32_t coverage) {
    const Coverage before = coverages_[coverage].bits;
    const int32_t gap = before.next_gap(0), n = options_.words;
    const int32_t last = settings_.limit < 0 ? n - 1 : std::min(n - 1, gap + settings_.limit);
    std::vector<Extension> found;
    for (int32_t start = gap; start <= last; start = before.next_gap(start + 1))
      for (int32_t g = groups_at_[start]; g < groups_at_[start + 1]; ++g) {
        const Span span = options_.groups[g].span;
        if (before.overlaps(span)) continue;
        if (settings_.limit >= 0 && start != gap && span.end - gap > settings_.limit) continue;
        found.push_back({g, coverage, future_of(before.with(span))});
      }
    return found;
  }

  int32_t coverage_after(Extension &extension) {
    if (extension.coverage < 0)
      extension.coverage = coverage_id(coverages_[extension.from].bits.with(options_.groups[extension.group].span));
    return extension.coverage;
  }
  int32_t covered_after(const Extension &extension) const {
    return coverages_[extension.from].count + options_.groups[extension.group].span.length();
  }

  Span last_span(const Hypothesis &h) const { return h.option < 0 ? kBeforeSentence : options_.span(h.option); }

  // False if the jump is too long.
  bool approach(const Hypothesis &h, int32_t group, Approach &a) {
    const Span last = last_span(h), span = options_.groups[group].span;
    const int32_t jump = std::abs(span.start - last.end);
    if (settings_.limit >= 0 && jump > settings_.limit) return false;
    a.base = h.score - settings_.distortion_weight * jump;
    a.phrase_code = static_cast<uint8_t>(move_code(last, span));
    a.blocks = BlockStacks::kEmpty;
    if (uses_hier_) {
      const auto step = blocks_.shift(h.state.blocks, span, group);
      a.blocks = step.stack;
      a.hier_code = step.code;
    }
    if (phrase_.between) a.base += phrase_.of_gap(last, span, a.phrase_code, options_.words);
    if (hier_.between) a.base += hier_.of_gap(last, span, a.hier_code, options_.words);
    if (h.option < 0) return true;
    if (phrase_.forward) a.base += phrase_.forward[4 * h.option + a.phrase_code];
    if (hier_.forward)
      a.base += hier_.forward[4 * h.option + move_code_to_next(last, span, coverages_[h.state.coverage].bits)];
    return true;
  }

  // What an option adds without the language model.
  double added(const Approach &a, int32_t option) const {
    double score = options_.isolated[option];
    if (phrase_.backward) score += phrase_.backward[4 * option + a.phrase_code];
    if (hier_.backward) score += hier_.backward[4 * option + a.hier_code];
    return score;
  }

  LmCache::Step lm_step(int32_t state, int32_t option) {
    const int64_t begin = options_.target_offsets[option];
    return lm_.phrase(state, options_.lm_words.data() + begin, options_.target_length(option));
  }

  // What an option adds when it extends a hypothesis of this search. Without scores of the hier orientation nobody asks
  // for its code, and states do not have it.
  void add_step(const Hypothesis &parent, int32_t option, StepFeatures &found) {
    const Span span = options_.span(option);
    const CoverageKey &before = coverages_[parent.state.coverage];
    const LmCache::Step lm = lm_step(parent.state.lm, option);
    double log10 = lm.score;
    if (before.count + span.length() == options_.words) log10 += lm_.step(lm.next, end_word_).score;
    const unsigned hier_code = blocks_.shift(parent.state.blocks, span, options_.group_of[option]).code;
    found.add(log10, last_span(parent), span, hier_code, before.bits);
  }

  // The hypothesis that an option makes. Its state is that of the search, or nothing when all is covered; the coverage
  // is for the caller to fill in.
  Hypothesis made(int32_t parent, const Approach &a, double score, int32_t option, const Extension &extension,
                  int32_t lm) {
    Hypothesis h{score, score + extension.future, {-1, 0, 0, 0, 0}, parent, option, -1};
    if (covered_after(extension) == options_.words) {
      h.score += weighted_lm(lm_.step(lm, end_word_).score);
      h.priority = h.score;
      return h;
    }
    h.state.lm = lm;
    h.state.last = uses_span_ ? options_.group_of[option] + 1 : options_.span(option).end;
    h.state.blocks = a.blocks;
    h.state.forward = forward_of_[option];
    return h;
  }

private:
  struct CoverageKey {
    Coverage bits;
    int32_t count = 0;
    bool operator==(const CoverageKey &other) const { return bits == other.bits; }
    uint64_t hash() const { return bits.hash(); }
  };

  void index_groups() {
    groups_at_.assign(options_.words + 1, 0);
    for (const auto &group : options_.groups) ++groups_at_[group.span.start + 1];
    for (int32_t i = 0; i < options_.words; ++i) groups_at_[i + 1] += groups_at_[i];
  }

  struct ForwardRow {
    std::array<float, 8> scores;
    bool operator==(const ForwardRow &) const = default;
    uint64_t hash() const {
      uint64_t h = 0;
      for (const float score : scores) h = combine(h, std::bit_cast<uint32_t>(score));
      return h;
    }
  };

  void number_forward_rows() {
    forward_of_.assign(options_.size(), 0);
    if (!phrase_.forward && !hier_.forward) return;
    Interner<ForwardRow> rows;
    for (int64_t o = 0; o < options_.size(); ++o) {
      ForwardRow row{};
      for (int c = 0; c < 4; ++c) {
        if (phrase_.forward) row.scores[c] = phrase_.forward[4 * o + c];
        if (hier_.forward) row.scores[4 + c] = hier_.forward[4 * o + c];
      }
      forward_of_[o] = rows.id(row);
    }
  }

  void find_future() {
    const int32_t n = options_.words;
    future_.assign(static_cast<size_t>(n + 1) * (n + 1), -std::numeric_limits<double>::infinity());
    for (const auto &group : options_.groups)
      best_of(group.span.start, group.span.end) = options_.estimate[group.begin];
    for (int32_t length = 2; length <= n; ++length)
      for (int32_t start = 0; start + length <= n; ++start) {
        double &best = best_of(start, start + length);
        for (int32_t cut = start + 1; cut < start + length; ++cut)
          best = std::max(best, best_of(start, cut) + best_of(cut, start + length));
      }
  }
  double &best_of(int32_t start, int32_t end) {
    return future_[static_cast<size_t>(start) * (options_.words + 1) + end];
  }

  double future_of(const Coverage &covered) {
    double sum = 0;
    const int32_t n = options_.words;
    for (int32_t start = covered.next_gap(0); start < n;) {
      const int32_t end = std::min(n, covered.next_covered(start));
      sum += best_of(start, end);
      start = covered.next_gap(end);
    }
    return sum;
  }

  int32_t coverage_id(const Coverage &covered) {
    const int64_t known = coverages_.size();
    const int32_t id = coverages_.id({covered});
    if (id < known) return id;
    for (int32_t i = 0; i < options_.words; ++i) coverages_[id].count += covered.test(i);
    return id;
  }

  const TranslationOptions &options_;
  const OrientationScores phrase_, hier_;
  const SpaceSettings settings_;
  LmCache lm_;
  const uint32_t end_word_;
  const bool uses_hier_, uses_span_;
  std::vector<int32_t> groups_at_, forward_of_;
  std::vector<double> future_;
  Interner<CoverageKey> coverages_;
  BlockStacks blocks_;
};

} // namespace tartib
