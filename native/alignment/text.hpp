// The text that is aligned: ids of words, which Python owns and may change at any time.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/changed_data.hpp"

namespace tartib {

class TextSide {
public:
  TextSide(const int32_t *ids, std::vector<int64_t> offsets, uint32_t words)
      : ids_(ids), offsets_(std::move(offsets)), words_(words) {}

  int64_t sentences() const { return static_cast<int64_t>(offsets_.size()) - 1; }
  uint32_t words() const { return words_; }
  int64_t begin(int64_t sentence) const { return offsets_[sentence]; }
  int64_t length(int64_t sentence) const { return offsets_[sentence + 1] - offsets_[sentence]; }

  uint32_t word(int64_t token) const {
    const uint32_t id = static_cast<uint32_t>(ids_[token]);
    if (id >= words_) throw ChangedData("text");
    return id;
  }

  std::vector<int64_t> token_counts() const {
    std::vector<int64_t> counts(words_);
    for (int64_t token = offsets_.front(); token < offsets_.back(); ++token) ++counts[word(token)];
    return counts;
  }

private:
  const int32_t *ids_;
  std::vector<int64_t> offsets_;
  uint32_t words_;
};

struct ParallelText {
  TextSide source, target;
};

} // namespace tartib
