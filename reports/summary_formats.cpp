#include "reports/summary_formats.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/plain_text.h"
#include "reports/quantities.h"
#include "reports/text_page.h"

namespace gputrace::reports {
namespace {

constexpr int kNameColumns = 24;  // what a name keeps before figures give way to it
constexpr int kWordColumns = 12;  // the same of text between figures: a kind of memory, an API function

double number_of(const SummaryCell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
  const auto* real = std::get_if<double>(&cell);
  return real != nullptr ? *real : 0;
}

bool applies(const SummaryCell& cell) { return !std::holds_alternative<std::monostate>(cell); }

std::string text_cell(Quantity quantity, const SummaryCell& cell) {
  if (!applies(cell)) return "";
  switch (quantity) {
    case Quantity::percent:
      return fmt::format("{:.1f}", number_of(cell));
    case Quantity::time_ns:
      return duration(number_of(cell));
    case Quantity::count:
      return count(static_cast<std::int64_t>(number_of(cell)));
    case Quantity::identifier:
      return std::to_string(static_cast<std::int64_t>(number_of(cell)));
    case Quantity::megabytes:
      return byte_count(number_of(cell) * 1e6);
    case Quantity::megabytes_per_s:
      return rate(number_of(cell) / 1e3);
    case Quantity::text:
      break;
  }
  return one_line(std::get<std::string>(cell));
}

// "Total Time (ns)": the cells carry their own units.
std::string without_unit(const SummaryColumn& column) {
  const bool has_unit = column.quantity == Quantity::time_ns || column.quantity == Quantity::megabytes ||
                        column.quantity == Quantity::megabytes_per_s;
  return has_unit ? column.header.substr(0, column.header.find(" (")) : column.header;
}

// What a narrow terminal goes without: CSV and JSON have it.
bool is_detail(const SummaryColumn& column, std::string_view header) {
  for (const char* spread : {"Med", "Min", "Max", "StdDev"}) {
    if (header.ends_with(spread)) return true;
  }
  for (const char* detail :
       {"Wall (%)", "QCount", "Total Range Time", "Total GPU Ops", "Avg GPU Ops", "Avg Range Lvl", "Avg Num Child", "NumChild", "StcSMem", "DymSMem"}) {
    if (header == detail) return true;
  }
  return column.quantity == Quantity::identifier;
}

// A name stands first or last.
TableColumn text_column(const SummaryColumn& column, bool outer) {
  const std::string header = without_unit(column);
  return {.header = header,
          .align = column.quantity == Quantity::text ? Align::left : Align::right,
          .shrink_to = column.quantity == Quantity::text ? (outer ? kNameColumns : kWordColumns) : 0,
          .droppable = is_detail(column, header)};
}

void add_text(TextPage& page, const MadeSummary& made) {
  page.line(fmt::format("{} ({})", made.summary->title, made.summary->name), Ink::bold);
  if (!made.table.missing.empty()) {
    page.paragraph("  ", "not captured: " + made.table.missing);
    return;
  }
  std::vector<TableColumn> columns;
  for (const auto& column : made.table.columns) {
    const bool outer = &column == &made.table.columns.front() || &column == &made.table.columns.back();
    columns.push_back(text_column(column, outer));
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : made.table.rows) {
    auto& cells = rows.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c)
      cells.push_back(text_cell(made.table.columns[c].quantity, row[c]));
  }
  page.table(std::move(columns), std::move(rows));
}

std::string csv_quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

std::string csv_cell(Quantity quantity, const SummaryCell& cell) {
  if (!applies(cell)) return "";
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (quantity == Quantity::text) return csv_quoted(valid_utf8(std::get<std::string>(cell)));
  return fmt::format("{:.{}f}", number_of(cell),
                     quantity == Quantity::megabytes || quantity == Quantity::megabytes_per_s ? 3 : 1);
}

void add_csv(std::string& out, const SummaryTable& table) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    out += (c > 0 ? "," : "") + csv_quoted(table.columns[c].header);
  out += '\n';
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c)
      out += (c > 0 ? "," : "") + csv_cell(table.columns[c].quantity, row[c]);
    out += '\n';
  }
}

nlohmann::ordered_json json_rows(const SummaryTable& table) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    nlohmann::ordered_json object;
    for (std::size_t c = 0; c < row.size(); ++c) {
      auto& value = object[table.columns[c].header];
      if (const auto* text = std::get_if<std::string>(&row[c])) {
        value = valid_utf8(*text);
      } else if (const auto* integer = std::get_if<std::int64_t>(&row[c])) {
        value = *integer;
      } else if (const auto* real = std::get_if<double>(&row[c])) {
        value = *real;
      }
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

}  // namespace

std::string summaries_as_text(const std::vector<MadeSummary>& made, const FormatOptions& options) {
  TextPage page(options);
  for (const auto& one : made) {
    if (&one != &made.front()) page.blank();
    add_text(page, one);
  }
  return page.take();
}

std::string summaries_as_csv(const std::vector<MadeSummary>& made) {
  std::string out;
  for (const auto& one : made) {
    if (!one.table.missing.empty()) continue;
    if (!out.empty()) out += '\n';
    add_csv(out, one.table);
  }
  return out;
}

std::string summaries_as_json(const std::vector<MadeSummary>& made) {
  nlohmann::ordered_json tables = nlohmann::ordered_json::object();
  for (const auto& one : made) {
    tables[one.summary->name] = one.table.missing.empty() ? json_rows(one.table) : nlohmann::ordered_json();
  }
  return tables.dump(2) + "\n";
}

}  // namespace gputrace::reports
