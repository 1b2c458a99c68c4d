// Phrase-based beam search. Stacks by the number of covered source words are finished one after another; a hypothesis
// that is kept is extended by every option that fits, or (cube pruning: Huang & Chiang 2007) a stack is filled with the
// most promising extensions only, a given number of them.
#pragma once

#include <queue>

#include "decoder/search_space.hpp"

namespace tartib {

struct BeamSettings {
  int64_t stack;    // states kept for each number of covered words; 0 for all
  double threshold; // logarithm of the worst ratio to the best that is kept
  int64_t pops;     // extensions tried for each stack by cube pruning; 0 for all
  int64_t arcs;     // worse ways into a state that are kept
};

class Search {
public:
  Search(SearchSpace &space, const BeamSettings &settings)
      : space_(space), settings_(settings), options_(space.options()),
        stacks_(options_.words + 1, HypothesisStack(settings.stack, settings.threshold, settings.arcs > 0)),
        kept_(options_.words + 1), bundles_(options_.words + 1) {
    for (const auto &group : options_.groups) longest_ = std::max(longest_, group.span.length());
  }

  // Returns the number of the best translation in `graph`, or -1 if there is none.
  int32_t run() {
    stacks_[0].add(space_.root());
    for (int32_t covered = 0; covered <= options_.words; ++covered) {
      if (settings_.pops > 0 && covered > 0) fill_by_cubes(covered);
      kept_[covered] = stacks_[covered].finish(graph_, static_cast<size_t>(settings_.arcs));
      bundle(covered);
      if (settings_.pops > 0) {
        for (Bundle &bundle : bundles_[covered]) bundle.extensions = space_.extensions_of(bundle.coverage);
        if (covered >= longest_) bundles_[covered - longest_].clear();
        continue;
      }
      for (const Bundle &bundle : bundles_[covered])
        for (SearchSpace::Extension &extension : space_.extensions_of(bundle.coverage))
          for (int32_t i = bundle.begin; i < bundle.end; ++i) expand(kept_[covered][i], extension);
    }
    const std::vector<int32_t> &complete = kept_[options_.words];
    return complete.empty() ? -1 : complete[0];
  }

  const std::vector<Hypothesis> &graph() const { return graph_; }

private:
  static constexpr size_t kKeptSteps = size_t{1} << 23;

  // Hypotheses with the same coverage, best first: places in kept_.
  struct Bundle {
    int32_t coverage, begin, end;
    std::vector<SearchSpace::Extension> extensions; // kept for cube pruning only
  };

  // Puts the kept hypotheses of a stack together by coverage; the bundle with the best one comes first.
  void bundle(int32_t covered) {
    std::vector<int32_t> &kept = kept_[covered];
    std::vector<int32_t> order(space_.coverages(), -1);
    int32_t next = 0;
    for (const int32_t h : kept)
      if (int32_t &place = order[graph_[h].state.coverage]; place < 0) place = next++;
    std::stable_sort(kept.begin(), kept.end(), [&](int32_t a, int32_t b) {
      return order[graph_[a].state.coverage] < order[graph_[b].state.coverage];
    });
    for (int32_t i = 0; i < static_cast<int32_t>(kept.size()); ++i) {
      const int32_t coverage = graph_[kept[i]].state.coverage;
      if (i == 0 || bundles_[covered].back().coverage != coverage) bundles_[covered].push_back({coverage, i, i, {}});
      bundles_[covered].back().end = i + 1;
    }
  }

  // --- every extension

  void expand(int32_t parent, SearchSpace::Extension &extension) {
    SearchSpace::Approach a;
    if (!space_.approach(graph_[parent], extension.group, a)) return;
    const auto &group = options_.groups[extension.group];
    HypothesisStack &stack = stacks_[space_.covered_after(extension)];
    const LmCache::Step *row = lm_row(graph_[parent].state.lm, extension.group);
    for (int32_t o = group.begin; o < group.end; ++o, ++row) {
      const double score = a.base + space_.added(a, o) + space_.weighted_lm(row->score);
      if (score + extension.future >= stack.floor())
        stack.add(with_coverage(space_.made(parent, a, score, o, extension, row->next), extension));
    }
  }

  Hypothesis with_coverage(Hypothesis hypothesis, SearchSpace::Extension &extension) {
    hypothesis.state.coverage = space_.coverage_after(extension);
    return hypothesis;
  }

  // The language model's answers for all options of a span after a state.
  const LmCache::Step *lm_row(int32_t state, int32_t group) {
    if (steps_.size() > kKeptSteps) {
      rows_ = {};
      steps_.clear();
    }
    auto [begin, known] = rows_.at(state, group);
    if (!known) {
      begin = static_cast<int64_t>(steps_.size());
      for (int32_t o = options_.groups[group].begin; o < options_.groups[group].end; ++o)
        steps_.push_back(space_.lm_step(state, o));
    }
    return steps_.data() + begin;
  }

  // --- cube pruning

  // Hypotheses of one coverage (rows) with options of one span (columns), both best first.
  struct Cube {
    const Bundle *bundle;
    const std::vector<int32_t> *kept;
    SearchSpace::Extension extension;
  };
  struct Cell {
    Hypothesis hypothesis;
    int32_t cube, row, column;
    bool operator<(const Cell &other) const {
      if (hypothesis.priority != other.hypothesis.priority) return hypothesis.priority < other.hypothesis.priority;
      return std::tie(cube, row, column) > std::tie(other.cube, other.row, other.column);
    }
  };

  void fill_by_cubes(int32_t covered) {
    cubes_.clear();
    queue_ = {};
    for (int32_t length = 1; length <= std::min(longest_, covered); ++length)
      for (const Bundle &bundle : bundles_[covered - length])
        for (const SearchSpace::Extension &extension : bundle.extensions)
          if (options_.groups[extension.group].span.length() == length) {
            cubes_.push_back({&bundle, &kept_[covered - length], extension});
            push_row(static_cast<int32_t>(cubes_.size()) - 1, 0);
          }
    for (int64_t pops = 0; pops < settings_.pops && !queue_.empty(); ++pops) {
      const Cell cell = queue_.top();
      queue_.pop();
      if (cell.hypothesis.priority >= stacks_[covered].floor())
        stacks_[covered].add(with_coverage(cell.hypothesis, cubes_[cell.cube].extension));
      push(cell.cube, cell.row, cell.column + 1);
      if (cell.column == 0) push_row(cell.cube, cell.row + 1);
    }
  }

  // The first cell of the next row whose hypothesis can make the jump.
  void push_row(int32_t cube, int32_t row) {
    const Bundle &bundle = *cubes_[cube].bundle;
    while (row < bundle.end - bundle.begin && !push(cube, row, 0)) ++row;
  }

  bool push(int32_t number, int32_t row, int32_t column) {
    const Cube &cube = cubes_[number];
    const auto &group = options_.groups[cube.extension.group];
    const int32_t parent = (*cube.kept)[cube.bundle->begin + row], o = group.begin + column;
    SearchSpace::Approach a;
    if (o >= group.end || !space_.approach(graph_[parent], cube.extension.group, a)) return false;
    const LmCache::Step lm = space_.lm_step(graph_[parent].state.lm, o);
    const double score = a.base + space_.added(a, o) + space_.weighted_lm(lm.score);
    const Hypothesis made = space_.made(parent, a, score, o, cube.extension, lm.next);
    if (!std::isnan(made.priority)) queue_.push({made, number, row, column}); // which damaged models may give
    return true;
  }

  SearchSpace &space_;
  const BeamSettings settings_;
  const TranslationOptions &options_;
  int32_t longest_ = 0;
  std::vector<HypothesisStack> stacks_;
  std::vector<std::vector<int32_t>> kept_;
  std::vector<std::vector<Bundle>> bundles_;
  std::vector<Hypothesis> graph_;
  Memo<int64_t> rows_;
  std::vector<LmCache::Step> steps_;
  std::vector<Cube> cubes_;
  std::priority_queue<Cell> queue_;
};

} // namespace tartib
