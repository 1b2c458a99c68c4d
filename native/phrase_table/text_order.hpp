// The order of phrases as texts: that of `LC_ALL=C sort` on lines that begin with a phrase and " ||| ", as in Moses'
// tables. A space comes before every letter, so texts compare word by word, and the bars stand for the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "bitext/vocabulary.hpp"

namespace tartib {

class TextOrder {
public:
  explicit TextOrder(const Vocabulary &vocabulary) : ranks_(static_cast<size_t>(vocabulary.size())) {
    std::vector<int32_t> ids(ranks_.size());
    std::iota(ids.begin(), ids.end(), 0);
    std::ranges::sort(ids, [&](int32_t a, int32_t b) { return vocabulary.word(a) < vocabulary.word(b); });
    const auto after = std::ranges::partition_point(ids, [&](int32_t id) { return vocabulary.word(id) < "|||"; });
    end_ = 2 * (after - ids.begin()) - 1;
    for (size_t rank = 0; rank < ids.size(); ++rank) ranks_[ids[rank]] = 2 * static_cast<int64_t>(rank);
  }

  bool less(std::span<const int32_t> a, std::span<const int32_t> b) const {
    const size_t shared = std::min(a.size(), b.size());
    const size_t at = static_cast<size_t>(std::mismatch(a.begin(), a.begin() + shared, b.begin()).first - a.begin());
    if (at == a.size() && at == b.size()) return false;
    return (at == a.size() ? end_ : ranks_[a[at]]) < (at == b.size() ? end_ : ranks_[b[at]]);
  }

private:
  std::vector<int64_t> ranks_; // by id, even numbers; the end is an odd one
  int64_t end_;
};

} // namespace tartib
