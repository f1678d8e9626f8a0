#include "analyzer/op_ranges.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

namespace gputrace::analyzer {
namespace {

constexpr std::size_t kMaxInputs = 64, kMaxDimensions = 16;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':' || c == '.';
  });
}

// A value runs to the next comma outside brackets.
std::size_t value_end(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '(') ++depth;
    if (text[i] == ']' || text[i] == ')') --depth;
    if (text[i] == ',' && depth <= 0) return i;
  }
  return text.size();
}

std::vector<std::vector<std::int64_t>> parse_sizes(std::string_view text) {
  std::vector<std::vector<std::int64_t>> sizes;
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '[') {
      if (++depth == 2 && sizes.size() < kMaxInputs) sizes.emplace_back();
      ++i;
    } else if (text[i] == ']') {
      --depth;
      ++i;
    } else if (depth == 2 && text[i] >= '0' && text[i] <= '9') {
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), value);
      if (error != std::errc{}) return {};
      if (sizes.back().size() < kMaxDimensions) sizes.back().push_back(value);
      i = static_cast<std::size_t>(end - text.data());
    } else {
      ++i;
    }
  }
  return sizes;
}

std::vector<std::string> parse_names(std::string_view text) {
  std::vector<std::string> names;
  if (!text.empty() && text.front() == '[') text.remove_prefix(1);
  if (!text.empty() && text.back() == ']') text.remove_suffix(1);
  while (!text.empty() && names.size() < kMaxInputs) {
    const std::size_t end = std::min(text.find(','), text.size());
    names.emplace_back(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

double count(const std::vector<std::int64_t>& size) {
  double elements = 1;
  for (const std::int64_t n : size) elements *= static_cast<double>(n);
  return elements;
}

bool has_prefix(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

bool is_matmul(std::string_view type) {
  return type == "MatMul" || type == "BatchMatMul" || type == "aten::mm" || type == "aten::matmul" || type == "aten::addmm" ||
         type == "aten::bmm" || type == "aten::linear";
}

// [m,k] x [k,n] with either side transposed: the dimension that both share is summed over. Where one side has only two
// dimensions, the leading ones of the other are rows; else they are a batch of products.
double matmul_flops(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  if (a.size() < 2 || b.size() < 2) return 0;
  const bool batched = a.size() > 2 && b.size() > 2;
  const auto rows = [&](const std::vector<std::int64_t>& size) {
    const auto columns = static_cast<double>(size.back());
    return batched ? static_cast<double>(size[size.size() - 2]) : columns > 0 ? count(size) / columns : 0;
  };
  const double a_rows = rows(a), a_columns = static_cast<double>(a.back());
  const double b_rows = rows(b), b_columns = static_cast<double>(b.back());
  const double batch = a_rows * a_columns > 0 ? count(a) / (a_rows * a_columns) : 0;
  if (a_columns == b_rows) return 2 * batch * a_rows * a_columns * b_columns;
  if (a_rows == b_rows) return 2 * batch * a_columns * a_rows * b_columns;
  if (a_columns == b_columns) return 2 * batch * a_rows * a_columns * b_rows;
  return 0;
}

bool is_reduction(std::string_view type) {
  return has_prefix(type, "Sum") || has_prefix(type, "Mean") || has_prefix(type, "Max") || has_prefix(type, "Min") ||
         has_prefix(type, "L2Loss") || has_prefix(type, "BiasAddGrad") || has_prefix(type, "aten::sum") ||
         has_prefix(type, "aten::mean") || has_prefix(type, "aten::norm");
}

// Ops that only name a tensor anew move nothing.
bool is_view(std::string_view type) {
  return type == "Reshape" || type == "Identity" || type == "ExpandDims" || type == "Squeeze" || type == "aten::view" ||
         type == "aten::reshape";
}

}  // namespace

std::optional<OpText> parse_op_text(std::string_view text) {
  const std::size_t first_comma = text.find(',');
  if (first_comma == std::string_view::npos) return std::nullopt;
  OpText op;
  op.type = trimmed(text.substr(0, first_comma));
  if (!is_identifier(op.type)) return std::nullopt;
  std::string_view rest = text.substr(first_comma + 1);
  bool any = false;
  while (!rest.empty()) {
    const std::size_t end = value_end(rest);
    const std::string_view pair = rest.substr(0, end);
    rest = end < rest.size() ? rest.substr(end + 1) : std::string_view{};
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    any = true;
    const std::string_view key = trimmed(pair.substr(0, equals)), value = trimmed(pair.substr(equals + 1));
    if (key == "name") op.name = value;
    if (key == "requested") op.requested = value;
    if (key == "device") op.device = value;
    if (key == "inputs") op.inputs = parse_names(value);
    if (key == "sizes") op.sizes = parse_sizes(value);
  }
  if (!any) return std::nullopt;
  if (op.name.empty()) op.name = op.type;
  return op;
}

int gpu_of(std::string_view device) {
  for (const std::string_view word : {"gpu:", "GPU:", "cuda:"}) {
    const std::size_t at = device.find(word);
    if (at == std::string_view::npos) continue;
    int gpu = -1;
    std::from_chars(device.data() + at + word.size(), device.data() + device.size(), gpu);
    return gpu;
  }
  return -1;
}

bool is_cpu(std::string_view device) {
  return device.find("cpu") != std::string_view::npos || device.find("CPU") != std::string_view::npos;
}

OpWork op_work(const OpText& op) {
  OpWork work;
  if (op.sizes.empty() || is_view(op.type)) return work;
  double largest = 0;
  for (const auto& size : op.sizes) {
    work.bytes += 4 * count(size);
    largest = std::max(largest, 4 * count(size));
  }
  if (is_matmul(op.type) && op.sizes.size() >= 2) {
    work.flops = matmul_flops(op.sizes[op.sizes.size() - 2], op.sizes.back());
  } else if (has_prefix(op.type, "Conv2D") && op.sizes.size() >= 2 && op.sizes[0].size() == 4) {
    const auto& filter = op.sizes[1];
    const double positions = count(op.sizes[0]) / std::max<double>(1, static_cast<double>(op.sizes[0].back()));
    work.flops = 2 * positions * count(filter);
  }
  if (!is_reduction(op.type)) work.bytes += largest;
  return work;
}

double input_bytes(const OpText& op, std::size_t input) { return input < op.sizes.size() ? 4 * count(op.sizes[input]) : 0; }

OpRanges find_op_ranges(const trace::Trace& trace, trace::Span window) {
  constexpr std::uint32_t kNotAnOp = UINT32_MAX;
  const trace::NvtxRanges& nvtx = trace.nvtx;
  OpRanges ranges;
  std::unordered_map<trace::StringId, std::uint32_t> known;
  for (std::size_t i = 0; i < nvtx.size(); ++i) {
    if (nvtx.end_ns[i] == trace::kNoEnd || nvtx.end_ns[i] <= window.start_ns || nvtx.start_ns[i] >= window.end_ns) continue;
    auto [entry, is_new] = known.try_emplace(nvtx.text[i], kNotAnOp);
    if (is_new) {
      if (auto op = parse_op_text(trace.text(nvtx.text[i]))) {
        entry->second = static_cast<std::uint32_t>(ranges.texts.size());
        ranges.texts.push_back(std::move(*op));
      }
    }
    if (entry->second == kNotAnOp) continue;
    ranges.text.push_back(entry->second);
    ranges.span.push_back({nvtx.start_ns[i], nvtx.end_ns[i]});
    ranges.thread.push_back(nvtx.thread[i]);
  }
  return ranges;
}

}  // namespace gputrace::analyzer
