// Two vocabularies at a time.
#pragma once

#include <mutex>
#include <shared_mutex>

#include "bitext/vocabulary.hpp"

// Locks two vocabularies, which may be the same one, for reading.
class ReadLock {
public:
  ReadLock(const Vocabulary &first, const Vocabulary &second)
      : first_(first.mutex()), second_(second.mutex(), std::defer_lock) {
    if (&first != &second) second_.lock();
  }

private:
  std::shared_lock<std::shared_mutex> first_, second_;
};
