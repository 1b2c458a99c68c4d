// Numbers in text. All native code reads and writes them here, and a decimal point is a point in every locale.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace tartib {

// Up to nine digits and nothing else.
inline bool read_digits(std::string_view text, int64_t &value) {
  if (text.empty() || text.size() > 9) return false;
  value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + (c - '0');
  }
  return true;
}

inline bool read_number(std::string_view text, int64_t &value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

// A number too small for a double becomes 0, one too large infinite. An exponent beyond that
// range is a mistake.
inline bool read_out_of_range(std::string_view number, double &value) {
  constexpr int64_t kMaxExponent = 1000;
  const size_t e = std::min(number.find_first_of("eE"), number.size());
  int64_t exponent = 0;
  if (e < number.size()) {
    std::string_view digits = number.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    if (!read_number(digits, exponent) || exponent < -kMaxExponent || exponent > kMaxExponent) return false;
  }
  const std::string_view mantissa = number.substr(0, e);
  const auto point = static_cast<int64_t>(std::min(mantissa.find('.'), e));
  const auto first = static_cast<int64_t>(mantissa.find_first_of("123456789"));
  const double size = exponent + point - first < 0 ? 0.0 : HUGE_VAL;
  value = number.starts_with('-') ? -size : size;
  return true;
}

// A decimal number or an infinity, and nothing else.
inline bool read_number_or_infinity(std::string_view text, double &value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  const char *last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (end != last || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) return read_out_of_range(text, value);
  return !std::isnan(value);
}

// A finite decimal number and nothing else.
inline bool read_number(std::string_view text, double &value) {
  return read_number_or_infinity(text, value) && std::isfinite(value);
}

template <std::integral Integer> void append_number(std::string &out, Integer value) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

// As printf's %.{digits}g writes it in the C locale.
inline void append_number(std::string &out, double value, int digits) {
  char buffer[64];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr);
}

// As few digits as give the same float when they are read.
inline void append_shortest(std::string &out, float value) {
  char buffer[64];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

// An integer as a part of a message.
template <std::integral Integer> std::string to_text(Integer value) {
  std::string text;
  append_number(text, value);
  return text;
}

} // namespace tartib
