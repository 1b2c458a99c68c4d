// Data that cannot be what was written: a damaged file, one written to in place, or an array that Python changed.
#pragma once

#include <stdexcept>
#include <string>

namespace tartib {

struct ChangedData : std::runtime_error {
  explicit ChangedData(const std::string &what)
      : std::runtime_error(
            "the " + what +
            " is damaged, or was changed while it was in use\n  see what `tartib verify` says of it, and "
            "load it again; give other data another name") {}
};

} // namespace tartib
