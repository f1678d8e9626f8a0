// Published figures beside those of honest runs on the modelled machine.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "trainer/backend.h"
#include "trainer/configuration.h"

namespace trainer {

struct PublishedFigure {
  std::string_view scenario;
  int gpus;
  double published;          // samples per second in table A, seconds per step in table B
  std::string_view not_met;  // why the model misses it by more than 10 %; empty where it does not
  bool modelled = true;      // false: there is no run to compare with, and not_met says why
};

std::span<const PublishedFigure> published_figures(char table);  // 'A' or 'B'

using MakeBackend = std::function<tl::expected<std::unique_ptr<Backend>, std::string>(const std::string& box,
                                                                                           const Configuration& run)>;

// The figure of the same unit that a run gives: without arithmetic, after warm-up.
tl::expected<double, std::string> modelled_figure(char table, const PublishedFigure& figure, const MakeBackend& make_backend);

tl::expected<void, std::string> print_table(char table, const MakeBackend& make_backend, std::ostream& out);

}  // namespace trainer
