// Numbers in text.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string_view>

namespace tartib {

// A finite number and nothing else. Not from_chars, which does not read floating point on every system.
inline bool read_number(std::string_view text, double &value) {
  char buffer[64];
  if (text.empty() || text.size() >= sizeof buffer) return false;
  buffer[text.copy(buffer, text.size())] = '\0';
  char *end = nullptr;
  value = std::strtod(buffer, &end);
  return end == buffer + text.size() && std::isfinite(value);
}

} // namespace tartib
