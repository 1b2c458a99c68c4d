// The text format of SVMlight and LIBSVM.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "dataset/rows.hpp"

namespace tartib {

constexpr int kFloatDigits = 9; // enough to tell any two floats apart

enum class SvmlightDefect : int { none, label, index, value, order };

struct SvmlightRows {
  std::vector<double> labels;
  std::vector<int64_t> indptr{0};
  std::vector<int32_t> indices;
  std::vector<float> values;
  SvmlightDefect defect = SvmlightDefect::none;
  int64_t defect_line = 0;
  std::string defect_text;
};

// "label index:value … # comment"; indices rise within a line; empty lines and comments are skipped.
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
      if (!first) out_.indptr.push_back(static_cast<int64_t>(out_.indices.size()));
    }
    return std::move(out_);
  }

private:
  bool fail(SvmlightDefect defect) {
    out_.defect = defect;
    return false;
  }
  bool read_label(std::string_view token) {
    double label = 0;
    if (!read_number(token, label)) return fail(SvmlightDefect::label);
    out_.labels.push_back(label);
    return true;
  }
  bool read_feature(std::string_view token, int64_t &last) {
    const size_t colon = token.find(':');
    if (colon == token.npos) return fail(SvmlightDefect::index);
    if (token.substr(0, colon) == "qid") return true;
    int64_t index = 0;
    double value = 0;
    if (!read_number(token.substr(0, colon), index) || index < 0 || index >= std::numeric_limits<int32_t>::max())
      return fail(SvmlightDefect::index);
    if (!read_number(token.substr(colon + 1), value)) return fail(SvmlightDefect::value);
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
  for (int64_t r = begin; r < end; ++r) {
    row.clear();
    const RowRange range = rows.range(r);
    for (int64_t k = range.begin; k < range.end; ++k)
      row.emplace_back(rows.indices[k], rows.values ? rows.values[k] : 1.0f);
    std::sort(row.begin(), row.end());
    append_number(text, rows.labels[r]);
    for (const auto &[column, value] : row) {
      text.push_back(' ');
      append_number(text, static_cast<int64_t>(column) + base);
      text.push_back(':');
      append_number(text, value, kFloatDigits);
    }
    text.push_back('\n');
  }
  return text;
}

} // namespace tartib
