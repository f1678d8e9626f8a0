// LINKS: gputrace_analyzer
// Names per second, explained once each, against demangling them in full with the C++ runtime's demangler
// (what c++filt does). Limit: 10 us for one name in the median. The names are given as files with one a line
// (of a tab-separated file, the first column); without one, the names of the golden explanations.
#include <cxxabi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "analyzer/explain.h"

namespace {

using gputrace::analyzer::Explainer;
using Clock = std::chrono::steady_clock;

constexpr double kLimitUs = 10.0;
constexpr int kRounds = 15;

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Cost {
  double median_us = 0, per_second = 0;
};

// The best of several rounds for each name: other programs disturb a single one.
template <class Work>
Cost measure(const std::vector<std::string>& names, Work work) {
  std::vector<double> best_us(names.size(), 1e9);
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto begin = Clock::now();
      work(names[i]);
      best_us[i] = std::min(best_us[i], microseconds_since(begin));
    }
  }
  double total_us = 0;
  for (const double us : best_us) total_us += us;
  return {median(best_us), 1e6 * static_cast<double>(names.size()) / total_us};
}

std::vector<std::string> read_names(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& file : files) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      line = line.substr(0, line.find('\t'));
      if (!line.empty()) names.push_back(line);
    }
  }
  return names;
}

void print(const char* what, const Cost& cost) {
  std::cout << what << ": median " << cost.median_us << " us, " << static_cast<long>(cost.per_second)
            << " names/s\n";
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files(argv + 1, argv + argc);
  if (files.empty()) files = {std::string(GPUTRACE_BINARY_DIR) + "/../tests/golden/explain_names.txt"};
  const std::vector<std::string> names = read_names(files);
  if (names.empty()) {
    std::cerr << "no names in " << files[0] << "\n";
    return 1;
  }
  std::vector<std::string> mangled;
  std::copy_if(names.begin(), names.end(), std::back_inserter(mangled),
               [](const std::string& name) { return name.starts_with("_Z"); });

  Explainer fresh, again;
  const auto explain_new = [&](const std::string& name) { fresh.explain_uncached(name); };
  const Cost explained = measure(names, explain_new);
  print("explained, all names", explained);
  print("explained again (remembered)",
        measure(names, [&](const std::string& name) { again.explain(name); }));
  if (!mangled.empty()) {
    const Cost ours = measure(mangled, explain_new);
    print("explained, mangled names", ours);
    print("demangled by us",
          measure(mangled, [](const std::string& name) { gputrace::analyzer::demangle(name); }));
    const Cost full = measure(mangled, [](const std::string& name) {
      int status = 0;
      std::free(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status));
    });
    print("demangled in full by the C++ runtime", full);
    std::cout << "explaining / demangling in full: " << ours.median_us / full.median_us << "\n";
  }
  std::cout << "median / limit: " << explained.median_us / kLimitUs << "\n";
  return 0;
}
