#include "reports/html_tables.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "reports/plain_text.h"
#include "reports/quantities.h"
#include "reports/threshold_table.h"
#include "reports/wording.h"

namespace gputrace::reports {
namespace {

using analyzer::CopySize;
using analyzer::Diagnosis;
using analyzer::PlaceTraffic;
using kainjow::mustache::data;

constexpr int kNameCharacters = 400, kMeaningCharacters = 900, kShortCharacters = 160;
constexpr double kOpenFromShare = 0.1;  // of kernel time: the meaning of such kernels is shown without a click

double ns(std::int64_t value) { return static_cast<double>(value); }

void set_list(data& page, const std::string& name, data list) {
  page.set("has_" + name, !list.list_value().empty());
  page.set(name, std::move(list));
}

std::string bar_percent(double part, double whole) {
  return fmt::format("{:.1f}", whole > 0 ? std::clamp(100 * part / whole, 0.0, 100.0) : 0);
}

data kernel_data(const analyzer::KernelReport& kernel) {
  data item;
  item.set("name", page_text(kernel.name, kNameCharacters));
  item.set("label", page_text(kernel.label.empty() ? kernel.name : kernel.label, kShortCharacters));
  if (const std::string meaning = kernel_meaning(kernel); !meaning.empty()) {
    item.set("meaning", page_text(meaning, kMeaningCharacters));
  }
  item.set("open", kernel.share >= kOpenFromShare);
  item.set("op_class", page_text(kernel.op_class, kShortCharacters));
  item.set("share", percent(kernel.share));
  item.set("bar", bar_percent(kernel.share, 1));
  item.set("time", duration(ns(kernel.total_ns)));
  item.set("total_ns", std::to_string(kernel.total_ns));
  item.set("calls", count(kernel.calls));
  item.set("calls_value", std::to_string(kernel.calls));
  const double mean_ns = kernel.calls > 0 ? ns(kernel.total_ns) / ns(kernel.calls) : 0;
  item.set("mean", duration(mean_ns));
  item.set("mean_ns", fmt::format("{:.0f}", mean_ns));
  return item;
}

// The row for what is not shown, so that the table still sums to all.
void set_rest(data& page, const std::vector<analyzer::KernelReport>& kernels, std::size_t shown) {
  if (kernels.size() <= shown) return;
  std::int64_t calls = 0, total_ns = 0;
  double share = 0;
  for (std::size_t i = shown; i < kernels.size(); ++i) {
    calls += kernels[i].calls;
    total_ns += kernels[i].total_ns;
    share += kernels[i].share;
  }
  data rest;
  rest.set("label", fmt::format("{} more kernels together", count(static_cast<std::int64_t>(kernels.size() - shown))));
  rest.set("share", percent(share));
  rest.set("time", duration(ns(total_ns)));
  rest.set("calls", count(calls));
  page.set("kernels_rest", std::move(rest));
}

std::string size_range(const CopySize& size) {
  const auto binary = [](std::int64_t bytes) {
    constexpr std::int64_t kKi = 1024, kMi = kKi * kKi;
    return bytes >= kMi ? fmt::format("{} MiB", bytes / kMi) : fmt::format("{} KiB", bytes / kKi);
  };
  if (size.from_bytes == 0 && size.below_bytes == 0) return "not captured";
  if (size.below_bytes == 0) return binary(size.from_bytes) + " and more";
  return size.from_bytes == 0 ? "below " + binary(size.below_bytes) : binary(size.from_bytes) + " to " + binary(size.below_bytes);
}

// Bars are shares of all copies' bytes and time: small copies that cost much time stand out.
void set_sizes(data& page, const std::vector<CopySize>& sizes) {
  double all_bytes = 0, all_ns = 0;
  for (const CopySize& size : sizes) all_bytes += ns(size.bytes), all_ns += ns(size.total_ns);
  data list{data::type::list};
  for (const CopySize& size : sizes) {
    data item;
    item.set("name", page_text(size.memory.empty() ? size.direction : size.direction + ", " + size.memory));
    item.set("size", size_range(size));
    item.set("count", count(size.count));
    item.set("bytes", byte_count(ns(size.bytes)));
    item.set("time", duration(ns(size.total_ns)));
    item.set("rate", size.total_ns > 0 && size.bytes > 0 ? rate(ns(size.bytes) / ns(size.total_ns)) : "-");
    item.set("bytes_bar", bar_percent(ns(size.bytes), all_bytes));
    item.set("time_bar", bar_percent(ns(size.total_ns), all_ns));
    list.push_back(std::move(item));
  }
  set_list(page, "sizes", std::move(list));
}

data link_cell(const PlaceTraffic* use, double most_bytes) {
  data cell;
  if (use == nullptr) return cell;
  if (use->count > 0) {
    cell.set("bytes", byte_count(ns(use->bytes)));
    cell.set("count", count(use->count));
    cell.set("bar", bar_percent(ns(use->bytes), most_bytes));
  } else {
    cell.set("unused", true);
  }
  if (use->gbps) {
    std::string text = rate(*use->gbps);
    if (use->best_gbps && rate(*use->best_gbps) != text) text += ", best " + rate(*use->best_gbps);
    cell.set("rate", text);
  }
  if (use->link_gbps) cell.set("link", "link: " + rate(*use->link_gbps));
  if (!use->link_source.empty()) cell.set("source", page_text(use->link_source, kShortCharacters));
  return cell;
}

}  // namespace

// A percent sign stays with its number.
std::string page_text(std::string_view text, int most) {
  std::string line = cut_to_width(one_line(text), most);
  for (std::size_t at = line.find(" %"); at != std::string::npos; at = line.find(" %", at)) line.replace(at, 1, "\u00a0");
  return line;
}

void set_kernels(data& page, const Diagnosis& diagnosis) {
  data list{data::type::list};
  const std::size_t shown = std::min(kKernelsShown, diagnosis.kernels.size());
  for (std::size_t i = 0; i < shown; ++i) list.push_back(kernel_data(diagnosis.kernels[i]));
  page.set("kernels_shown", std::to_string(shown));
  page.set("kernels_all", count(static_cast<std::int64_t>(diagnosis.kernels.size())));
  set_list(page, "kernels", std::move(list));
  set_rest(page, diagnosis.kernels, shown);
}

void set_copies(data& page, const Diagnosis& diagnosis) {
  data list{data::type::list};
  for (const auto& copy : diagnosis.copies) {
    data item;
    item.set("name", page_text(copy_name(copy)));
    item.set("bytes", copy_bytes(copy));
    item.set("time", duration(ns(copy.total_ns)));
    item.set("rate", copy_rate(copy));
    item.set("share", percent(copy.share_of_step));
    item.set("count", count(copy.count));
    item.set("source", copy.link_gbps ? page_text(copy.link_source, kShortCharacters) : "-");
    list.push_back(std::move(item));
  }
  set_list(page, "copies", std::move(list));
  set_sizes(page, diagnosis.charts.copy_sizes);
}

void set_links(data& page, const Diagnosis& diagnosis) {
  std::vector<std::string> places;  // the host first, then GPUs by id: as the uses are sorted
  std::map<std::pair<std::string, std::string>, const PlaceTraffic*> uses;
  double most_bytes = 0;
  for (const PlaceTraffic& use : diagnosis.charts.traffic) {
    uses[{use.from, use.to}] = &use;
    most_bytes = std::max(most_bytes, ns(use.bytes));
    for (const std::string& place : {use.from, use.to}) {
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    }
  }
  data columns{data::type::list}, rows{data::type::list};
  for (const std::string& to : places) columns.push_back(data(page_text("to " + to, kShortCharacters)));
  for (const std::string& from : places) {
    data row, cells{data::type::list};
    row.set("from", page_text("from " + from, kShortCharacters));
    for (const std::string& to : places) {
      const auto use = uses.find({from, to});
      cells.push_back(link_cell(use == uses.end() ? nullptr : use->second, most_bytes));
    }
    row.set("cells", std::move(cells));
    rows.push_back(std::move(row));
  }
  page.set("has_links", !places.empty());
  page.set("link_columns", std::move(columns));
  page.set("link_rows", std::move(rows));
}

void set_thresholds(data& page, const Diagnosis& diagnosis) {
  data list{data::type::list};
  for (const ThresholdRow& row : threshold_rows(diagnosis.changed_thresholds)) {
    data item;
    item.set("name", row.name);
    item.set("value", row.value);
    item.set("reason", row.reason);
    list.push_back(std::move(item));
  }
  page.set("thresholds", std::move(list));
}

}  // namespace gputrace::reports
