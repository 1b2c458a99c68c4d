// Files mapped into memory that get shorter while they are in use.
//
// Reading beyond the end of such a file raises SIGBUS, which ends the process. Here the pages from there on are
// replaced by zeros, so that whatever reads them goes on, and the file counts as cut; the caller says how Python hears
// of it. Other errors of the bus go to the handler that was there before, such as that of Python's faulthandler.
#pragma once

#include <atomic>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace tartib {

class MappedFiles {
public:
  // What the process has; signal handlers are the process's too.
  static MappedFiles &all() {
    static MappedFiles *files = new MappedFiles; // never destroyed: a signal may come at any time
    return *files;
  }

  // Watches `size` bytes at `address`; returns a number for `forget`. `tell` is called in the handler, when a file is
  // found cut.
  int64_t watch(uintptr_t address, size_t size, std::string path, void (*tell)()) {
    const std::scoped_lock lock(mutex_);
    tell_ = tell;
    install();
    const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    Entry *entry = free_entry();
    entry->path = std::move(path);
    entry->cut = false;
    entry->end = (address + size + page - 1) / page * page;
    entry->begin = address / page * page; // last: the handler looks at entries that have begun
    return entry->number;
  }

  void forget(int64_t number) {
    const std::scoped_lock lock(mutex_);
    for (Entry *entry = first_; entry; entry = entry->next)
      if (entry->number == number) entry->begin = entry->end = 0;
  }

  // The files that were found cut and are still watched.
  std::vector<std::string> cut() {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> paths;
    for (Entry *entry = first_; entry; entry = entry->next)
      if (entry->begin && entry->cut) paths.push_back(entry->path);
    return paths;
  }

private:
  struct Entry {
    std::atomic<uintptr_t> begin = 0, end = 0; // whole pages; begin is 0 where nothing is watched
    std::atomic<bool> cut = false;
    int64_t number = 0;
    std::string path;
    Entry *next = nullptr;
  };

  Entry *free_entry() {
    for (Entry *entry = first_; entry; entry = entry->next)
      if (!entry->begin) {
        entry->number = ++last_;
        return entry;
      }
    Entry *entry = new Entry; // never deleted, because the handler may be looking at it
    entry->number = ++last_;
    entry->next = first_;
    first_ = entry;
    return entry;
  }

  // Puts our handler first, also if another was put before it since the last time.
  void install() {
    struct sigaction now;
    sigaction(SIGBUS, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == &handle) return;
    before_ = now;
    struct sigaction ours = {};
    ours.sa_sigaction = &handle;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(SIGBUS, &ours, nullptr);
  }

  static void handle(int number, siginfo_t *info, void *context) {
    const int error = errno;
    if (info->si_code <= 0 || !all().fill(std::bit_cast<uintptr_t>(info->si_addr)))
      all().pass_on(number, info, context);
    errno = error;
  }

  bool fill(uintptr_t address) {
    const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    for (Entry *entry = first_; entry; entry = entry->next) {
      const uintptr_t begin = entry->begin, end = entry->end;
      if (!begin || address < begin || address >= end) continue;
      const uintptr_t from = address / page * page;
      if (mmap(std::bit_cast<void *>(from), end - from, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
          MAP_FAILED)
        return false;
      if (!entry->cut.exchange(true)) tell_();
      return true;
    }
    return false;
  }

  void pass_on(int number, siginfo_t *info, void *context) {
    const bool again = passed_.exchange(true); // two handlers that call each other would never end
    if (!again && (before_.sa_flags & SA_SIGINFO) && before_.sa_sigaction) {
      before_.sa_sigaction(number, info, context);
    } else if (!again && before_.sa_handler != SIG_DFL && before_.sa_handler != SIG_IGN) {
      before_.sa_handler(number);
    } else {
      signal(number, SIG_DFL);
      if (info->si_code <= 0) raise(number); // else the instruction is tried again
    }
  }

  std::mutex mutex_;
  std::atomic<Entry *> first_ = nullptr;
  int64_t last_ = 0;
  void (*tell_)() = nullptr;
  struct sigaction before_ = {};
  std::atomic<bool> passed_ = false;
};

} // namespace tartib
