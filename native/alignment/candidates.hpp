// Which words may be translations of one another.
//
// For each word, the `width` words of the other side that it is most associated with, by
//     w(f, e) = min(1, n(f, e)² / (n(f) n(e))),
// n(f, e) being how many tokens of e there are in the sentences that have f, and n(f), n(e) the number of tokens.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "alignment/lexicon.hpp"
#include "alignment/text.hpp"
#include "base/threads.hpp"

namespace tartib {

class CandidateFinder {
public:
  CandidateFinder(const ParallelText &text, int64_t width, int threads)
      : text_(text), width_(width), threads_(threads), source_counts_(text.source.token_counts()),
        target_counts_(text.target.token_counts()) {}

  std::vector<std::vector<Candidate>> find() const {
    std::vector<std::vector<Candidate>> found;
    add(text_.source, source_counts_, text_.target, target_counts_, false, found);
    add(text_.target, target_counts_, text_.source, source_counts_, true, found);
    return found;
  }

private:
  static constexpr int64_t kTasks = 256;

  // Words as equal as can be in how many tokens they have, so that tasks take about as long.
  static std::vector<int64_t> shares(const std::vector<int64_t> &begins) {
    std::vector<int64_t> bounds;
    const int64_t words = static_cast<int64_t>(begins.size()) - 1, total = begins.back();
    for (int64_t task = 0; task <= kTasks; ++task) {
      const auto at = std::lower_bound(begins.begin(), begins.end(), total * task / kTasks);
      bounds.push_back(task == kTasks ? words : at - begins.begin());
    }
    return bounds;
  }

  void add(const TextSide &of, const std::vector<int64_t> &of_counts, const TextSide &with,
           const std::vector<int64_t> &with_counts, bool swapped, std::vector<std::vector<Candidate>> &found) const {
    std::vector<int64_t> begins(of_counts.size() + 1);
    for (size_t word = 0; word < of_counts.size(); ++word) begins[word + 1] = begins[word] + of_counts[word];
    std::vector<uint32_t> sentences(begins.back()); // of each word, one for each of its tokens
    {
      std::vector<int64_t> next(begins.begin(), begins.end() - 1);
      for (int64_t s = 0; s < of.sentences(); ++s)
        for (int64_t t = of.begin(s); t < of.begin(s + 1); ++t) {
          const uint32_t word = of.word(t);
          if (next[word] == begins[word + 1]) throw ChangedData("text"); // since its tokens were counted
          sentences[next[word]++] = static_cast<uint32_t>(s);
        }
    }
    const std::vector<int64_t> bounds = shares(begins);
    const size_t before = found.size();
    found.resize(before + kTasks);
    run_tasks(threads_, kTasks, [&](int64_t task) {
      std::vector<uint32_t> together(with_counts.size()), seen;
      std::vector<std::pair<float, uint32_t>> ranked;
      for (int64_t word = bounds[task]; word < bounds[task + 1]; ++word) {
        seen.clear();
        for (int64_t at = begins[word]; at < begins[word + 1]; ++at) {
          const uint32_t s = sentences[at];
          if (at > begins[word] && s == sentences[at - 1]) continue;
          for (int64_t t = with.begin(s); t < with.begin(s + 1); ++t) {
            const uint32_t other = with.word(t);
            if (together[other]++ == 0) seen.push_back(other);
          }
        }
        ranked.clear();
        for (const uint32_t other : seen) {
          const double n = static_cast<double>(together[other]);
          const double w = n * n / (static_cast<double>(of_counts[word]) * static_cast<double>(with_counts[other]));
          ranked.emplace_back(static_cast<float>(std::min(1.0, w)), other);
          together[other] = 0;
        }
        const size_t kept = std::min(ranked.size(), static_cast<size_t>(width_));
        std::partial_sort(ranked.begin(), ranked.begin() + kept, ranked.end(), [](const auto &a, const auto &b) {
          return a.first != b.first ? a.first > b.first : a.second < b.second;
        });
        for (size_t i = 0; i < kept; ++i) {
          const auto [weight, other] = ranked[i];
          const auto own = static_cast<uint32_t>(word);
          found[before + task].push_back({swapped ? other : own, swapped ? own : other, weight, 0});
        }
      }
    });
  }

  const ParallelText &text_;
  const int64_t width_;
  const int threads_;
  const std::vector<int64_t> source_counts_, target_counts_;
};

} // namespace tartib
