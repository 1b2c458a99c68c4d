// Sparse rows with labels: equal ones made one, and the svmlight format.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers.hpp"
#include "bitext/bitext.hpp"
#include "features/features.hpp"

namespace tartib {

// Rows in compressed form; no values means that all are 1.
struct SparseRows {
  const int64_t *indptr;
  const int32_t *indices;
  const float *values;
  const int32_t *labels;
  int64_t rows;

  int64_t size(int64_t r) const { return indptr[r + 1] - indptr[r]; }
};

// Finds rows with the same columns, values and label: for each distinct one its first row and how much it weighs.
class RowCollapser {
public:
  explicit RowCollapser(const SparseRows &rows) : rows_(rows), slots_(1024, -1) {}

  void run(const double *weights, std::vector<int64_t> &first, std::vector<double> &total) {
    for (int64_t r = 0; r < rows_.rows; ++r) {
      if (2 * (first.size() + 1) > slots_.size()) grow(first);
      const int64_t distinct = static_cast<int64_t>(first.size());
      int64_t &slot = slots_[find(r, first)];
      if (slot < 0) {
        slot = distinct;
        first.push_back(r);
        total.push_back(0);
      }
      total[slot] += weights ? weights[r] : 1.0;
    }
  }

private:
  uint64_t hash(int64_t r) const {
    uint64_t h = mix(static_cast<uint64_t>(rows_.labels[r]) << 32 | static_cast<uint64_t>(rows_.size(r)));
    for (int64_t k = rows_.indptr[r]; k < rows_.indptr[r + 1]; ++k)
      h = close_key(open_key(h), static_cast<uint64_t>(static_cast<uint32_t>(rows_.indices[k])));
    return mix(h);
  }
  bool equal(int64_t a, int64_t b) const {
    const int64_t n = rows_.size(a);
    if (rows_.labels[a] != rows_.labels[b] || n != rows_.size(b)) return false;
    const auto same = [&](const auto *items) {
      return std::equal(items + rows_.indptr[a], items + rows_.indptr[a] + n, items + rows_.indptr[b]);
    };
    return same(rows_.indices) && (!rows_.values || same(rows_.values));
  }
  size_t find(int64_t r, const std::vector<int64_t> &first) const {
    const size_t mask = slots_.size() - 1;
    size_t at = hash(r) & mask;
    while (slots_[at] >= 0 && !equal(first[slots_[at]], r)) at = (at + 1) & mask;
    return at;
  }
  void grow(const std::vector<int64_t> &first) {
    slots_.assign(slots_.size() * 2, -1);
    for (size_t d = 0; d < first.size(); ++d) slots_[find(first[d], first)] = static_cast<int64_t>(d);
  }

  const SparseRows rows_;
  std::vector<int64_t> slots_;
};

enum class SvmlightDefect : int { none, label, index, value, order };

struct SvmlightRows {
  std::vector<double> labels;
  std::vector<int64_t> ends;
  std::vector<int32_t> indices;
  std::vector<float> values;
  SvmlightDefect defect = SvmlightDefect::none;
  int64_t defect_line = 0;
  std::string defect_text;
};

// "label index:value … # comment"; indices rise within a line; empty lines and comments are passed over.
class SvmlightReader {
public:
  SvmlightRows run(std::string_view text) {
    LineReader lines(text);
    for (int64_t line = 0; !lines.done() && out_.defect == SvmlightDefect::none; ++line) {
      std::string_view rest = lines.next();
      rest = rest.substr(0, rest.find('#'));
      bool first = true;
      int64_t last = -1;
      for_each_token(rest, [&](std::string_view token) {
        const bool good = first ? read_label(token) : read_feature(token, last);
        if (!good) {
          out_.defect_line = line;
          out_.defect_text = std::string(token.substr(0, 80));
        }
        first = false;
        return good;
      });
      if (!first) out_.ends.push_back(static_cast<int64_t>(out_.indices.size()));
    }
    return std::move(out_);
  }

private:
  static bool read(std::string_view text, int64_t &value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
  }
  static bool read(std::string_view text, double &value) { return read_number(text, value); }
  bool fail(SvmlightDefect defect) {
    out_.defect = defect;
    return false;
  }
  bool read_label(std::string_view token) {
    double label = 0;
    if (!read(token, label)) return fail(SvmlightDefect::label);
    out_.labels.push_back(label);
    return true;
  }
  bool read_feature(std::string_view token, int64_t &last) {
    const size_t colon = token.find(':');
    if (colon == token.npos) return fail(SvmlightDefect::index);
    if (token.substr(0, colon) == "qid") return true;
    int64_t index = 0;
    double value = 0;
    if (!read(token.substr(0, colon), index) || index < 0 || index >= std::numeric_limits<int32_t>::max())
      return fail(SvmlightDefect::index);
    if (!read(token.substr(colon + 1), value)) return fail(SvmlightDefect::value);
    if (index <= last) return fail(SvmlightDefect::order);
    last = index;
    out_.indices.push_back(static_cast<int32_t>(index));
    out_.values.push_back(static_cast<float>(value));
    return true;
  }

  SvmlightRows out_;
};

// Lines with columns counted from `base`, rising.
inline std::string svmlight_lines(const SparseRows &rows, int64_t begin, int64_t end, int base) {
  std::string text;
  std::vector<std::pair<int32_t, float>> row;
  char buffer[64];
  const auto put = [&](int64_t number) { text.append(buffer, std::to_chars(buffer, buffer + 64, number).ptr); };
  const auto put_value = [&](float value) {
    text.append(buffer, static_cast<size_t>(std::snprintf(buffer, sizeof buffer, "%.9g", static_cast<double>(value))));
  };
  for (int64_t r = begin; r < end; ++r) {
    row.clear();
    for (int64_t k = rows.indptr[r]; k < rows.indptr[r + 1]; ++k)
      row.emplace_back(rows.indices[k], rows.values ? rows.values[k] : 1.0f);
    std::sort(row.begin(), row.end());
    put(rows.labels[r]);
    for (const auto &[column, value] : row) {
      text.push_back(' ');
      put(static_cast<int64_t>(column) + base);
      text.push_back(':');
      put_value(value);
    }
    text.push_back('\n');
  }
  return text;
}

} // namespace tartib
