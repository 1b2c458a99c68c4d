// An end within seconds of Ctrl-C or SIGTERM, whatever the process is doing.
//
// Python calls its signal handlers between two of its own instructions, so a long native call, or threads that are
// waited for, would delay them for as long as they take. Here a timer starts with the first such signal, after Python
// has been told; if the process is still there when the timer ends, it says so and exits. What is half-written then
// stays under its hidden name.
#pragma once

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/time.h>
#include <unistd.h>

namespace tartib {

class Stopping {
public:
  // To be called after the handlers of these signals were set, which are called first.
  static void limit(double seconds) {
    seconds_ = seconds;
    struct sigaction alarm = {};
    alarm.sa_handler = &expire;
    sigemptyset(&alarm.sa_mask);
    sigaction(SIGALRM, &alarm, nullptr);
    for (const int number : {SIGINT, SIGTERM}) {
      struct sigaction now;
      sigaction(number, nullptr, &now);
      if (now.sa_handler == SIG_IGN || now.sa_handler == SIG_DFL || now.sa_handler == &begin) continue;
      before_[number == SIGINT] = now;
      struct sigaction ours = now;
      ours.sa_handler = &begin;
      sigaction(number, &ours, nullptr);
    }
  }

  // The user has been told, and nothing is left to be done: the end of the timer needs no message.
  static void told() { told_ = true; }

  // The process goes on after all.
  static void cancel() {
    start_timer(0);
    stopped_by_ = 0;
    told_ = false;
  }

private:
  static void begin(int number) {
    const int error = errno;
    before_[number == SIGINT].sa_handler(number);
    int none = 0;
    if (stopped_by_.compare_exchange_strong(none, number)) start_timer(seconds_);
    errno = error;
  }

  static void expire(int) {
    static constexpr char kMessage[] = "tartib: interrupted: what was finished is kept; what was not is removed by the "
                                       "next command that writes the same output\n";
    if (!told_) {
      const auto written = write(2, kMessage, sizeof kMessage - 1);
      static_cast<void>(written);
    }
    _exit(128 + stopped_by_);
  }

  static void start_timer(double seconds) {
    struct itimerval timer = {};
    timer.it_value.tv_sec = static_cast<time_t>(seconds);
    timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
    setitimer(ITIMER_REAL, &timer, nullptr);
  }

  static inline double seconds_ = 0;
  static inline struct sigaction before_[2] = {};
  static inline std::atomic<int> stopped_by_ = 0;
  static inline std::atomic<bool> told_ = false;
};

} // namespace tartib
