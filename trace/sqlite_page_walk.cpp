#include "trace/sqlite_page_walk.h"

#include <algorithm>
#include <utility>

#include "trace/sqlite_table_layout.h"

namespace gputrace::trace {
namespace {

constexpr std::uint8_t kInteriorPage = 0x05, kLeafPage = 0x0D;
constexpr std::uint32_t kInteriorHeaderBytes = 12, kLeafHeaderBytes = 8, kChildBytes = 4, kLeastCellBytes = 4;
constexpr std::size_t kMostLevels = 20;                     // as in SQLite
constexpr std::uint64_t kMostRecordBytes = 1'000'000'000;  // as in SQLite

std::uint32_t big_endian_16(const std::uint8_t* at) { return std::uint32_t{at[0]} << 8 | at[1]; }
std::uint32_t big_endian_32(const std::uint8_t* at) { return big_endian_16(at) << 16 | big_endian_16(at + 2); }

std::uint32_t cell_count(const std::uint8_t* page) { return big_endian_16(page + 3); }

// More would not fit, even at the least length of a cell.
std::uint32_t most_cells(std::uint32_t page_bytes) { return (page_bytes - kLeafHeaderBytes) / (2 + kLeastCellBytes); }

// How much of a record lies in the leaf when not all of it does: section 1.6.
std::uint64_t local_bytes(std::uint64_t record_bytes, std::uint32_t usable_bytes) {
  const std::uint64_t most = usable_bytes - 35, least = (usable_bytes - 12) * 32 / 255 - 23;
  if (record_bytes <= most) return record_bytes;
  const std::uint64_t local = least + (record_bytes - least) % (usable_bytes - 4);
  return local <= most ? local : least;
}

}  // namespace

std::optional<SqlitePageWalk> SqlitePageWalk::open(sqlite3* database, std::string_view table, std::span<const std::string_view> columns) {
  auto pages = SqlitePages::open(database);
  const auto layout = table_layout(database, table);
  if (!pages || !layout) return std::nullopt;
  SqlitePageWalk walk{std::move(*pages)};
  walk.root_ = layout->root_page;
  for (std::int32_t cell = 0; cell < static_cast<std::int32_t>(columns.size()); ++cell) {
    const auto found = std::find_if(layout->columns.begin(), layout->columns.end(),
                                    [name = columns[static_cast<std::size_t>(cell)]](const auto& column) { return column.name == name; });
    if (found == layout->columns.end()) {
      walk.absent_cells_.push_back(cell);
      continue;
    }
    if (found->is_converted) return std::nullopt;
    if (found->is_rowid) {
      walk.rowid_cells_.push_back(cell);
      continue;
    }
    const auto index = static_cast<std::size_t>(found - layout->columns.begin());
    if (walk.columns_.size() <= index) walk.columns_.resize(index + 1);
    RecordColumn& column = walk.columns_[index];
    if (column.cell != RecordColumn::kNotWanted)
      walk.same_cells_.emplace_back(column.cell, cell);
    else
      column = {.cell = cell, .has_default = found->has_default};
  }
  return walk;
}

SqlitePageWalk::Step SqlitePageWalk::next(std::span<SqliteCell> cells) {
  if (next_cell_ == leaf_cells_) {
    const Step moved = next_leaf();
    if (moved != Step::row) return moved;
  }
  const std::optional<Payload> payload = payload_of(next_cell_);
  if (!payload) return Step::leave;
  const Step decoded = decode(*payload, cells);
  if (decoded != Step::row) return decoded;
  for (const std::int32_t cell : rowid_cells_) cells[static_cast<std::size_t>(cell)] = {.value = payload->rowid, .type = CellType::integer};
  for (const std::int32_t cell : absent_cells_) cells[static_cast<std::size_t>(cell)] = {};
  for (const auto& [from, to] : same_cells_) cells[static_cast<std::size_t>(to)] = cells[static_cast<std::size_t>(from)];
  ++next_cell_;
  return Step::row;
}

// Down one page; Step::row where that is a leaf with rows, Step::end where it is an interior page.
SqlitePageWalk::Step SqlitePageWalk::enter(std::uint32_t number) {
  if (!visit()) return Step::damaged;
  const std::uint8_t* page = pages_.page(number);
  if (page == nullptr || cell_count(page) > most_cells(pages_.page_bytes())) return Step::leave;
  if (page[0] == kLeafPage) {
    leaf_ = page;
    leaf_cells_ = cell_count(page);
    next_cell_ = 0;
    const bool is_empty_table = leaf_cells_ == 0 && depth_ == 0;
    return leaf_cells_ > 0 ? Step::row : is_empty_table ? Step::end : Step::leave;
  }
  if (page[0] != kInteriorPage || cell_count(page) == 0 || depth_ == kMostLevels) return Step::leave;
  if (levels_.size() == depth_) levels_.emplace_back();
  Level& level = levels_[depth_++];
  level.page.assign(page, page + pages_.page_bytes());
  level.cells = cell_count(page);
  level.next_child = 0;
  return Step::end;
}

SqlitePageWalk::Step SqlitePageWalk::next_leaf() {
  if (leaf_ == nullptr && depth_ == 0) {
    const Step entered = enter(root_);
    if (entered != Step::end) return entered;
  }
  while (depth_ > 0) {
    Level& level = levels_[depth_ - 1];
    if (level.next_child > level.cells) {
      --depth_;
      continue;
    }
    const std::optional<std::uint32_t> child = child_of(level, level.next_child++);
    if (!child) return Step::leave;
    const Step entered = enter(*child);
    if (entered != Step::end) return entered;
  }
  return Step::end;
}

// The last child is named in the header of the page, the others in its cells.
std::optional<std::uint32_t> SqlitePageWalk::child_of(const Level& level, std::uint32_t child) const {
  constexpr std::uint32_t kLastChildAt = 8;
  const std::uint8_t* page = level.page.data();
  if (child == level.cells) return big_endian_32(page + kLastChildAt);
  const std::uint32_t at = big_endian_16(page + kInteriorHeaderBytes + 2 * child);
  if (at < kInteriorHeaderBytes + 2 * level.cells || at + kChildBytes >= pages_.usable_bytes()) return std::nullopt;
  std::uint64_t rowid = 0;
  if (read_varint(page + at + kChildBytes, page + pages_.usable_bytes(), rowid) == nullptr) return std::nullopt;
  return big_endian_32(page + at);
}

std::optional<SqlitePageWalk::Payload> SqlitePageWalk::payload_of(std::uint32_t cell) const {
  const std::uint32_t usable = pages_.usable_bytes();
  const std::uint32_t at = big_endian_16(leaf_ + kLeafHeaderBytes + 2 * cell);
  if (at < kLeafHeaderBytes + 2 * leaf_cells_ || at + kLeastCellBytes > usable) return std::nullopt;
  const std::uint8_t* const end = leaf_ + usable;
  Payload payload;
  std::uint64_t rowid = 0;
  const std::uint8_t* bytes = read_varint(leaf_ + at, end, payload.bytes);
  if (bytes == nullptr || payload.bytes > kMostRecordBytes || (bytes = read_varint(bytes, end, rowid)) == nullptr) return std::nullopt;
  payload.rowid = static_cast<std::int64_t>(rowid);
  const std::uint64_t local = local_bytes(payload.bytes, usable), overflow = local < payload.bytes ? sizeof(std::uint32_t) : 0;
  if (local + overflow > static_cast<std::uint64_t>(end - bytes)) return std::nullopt;
  payload.local = {bytes, local};
  if (overflow > 0) payload.first_overflow_page = big_endian_32(bytes + local);
  return payload;
}

SqlitePageWalk::Step SqlitePageWalk::decode(const Payload& payload, std::span<SqliteCell> cells) {
  Decoded decoded = decode_record(payload.local, payload.bytes, columns_, cells);
  if (decoded == Decoded::needs_more && payload.first_overflow_page != 0) {
    const Step read = read_overflow(payload);
    if (read != Step::row) return read;
    decoded = decode_record({whole_.data(), payload.bytes}, payload.bytes, columns_, cells);
  }
  return decoded == Decoded::all ? Step::row : Step::leave;
}

// A list of pages, each with the number of the next one in front.
SqlitePageWalk::Step SqlitePageWalk::read_overflow(const Payload& payload) {
  const std::uint64_t page_payload = pages_.usable_bytes() - sizeof(std::uint32_t);
  const std::uint64_t rest = payload.bytes - payload.local.size();
  if (rest / page_payload > pages_.page_count()) return Step::leave;
  whole_.resize(payload.bytes + SqlitePages::kPaddingBytes);
  std::copy(payload.local.begin(), payload.local.end(), whole_.begin());
  overflow_page_.resize(pages_.page_bytes());
  std::uint32_t number = payload.first_overflow_page;
  for (std::uint64_t filled = payload.local.size(); filled < payload.bytes;) {
    if (!visit()) return Step::damaged;
    if (!pages_.copy_page(number, overflow_page_.data())) return Step::leave;
    const auto count = static_cast<std::size_t>(std::min(page_payload, payload.bytes - filled));
    std::copy_n(overflow_page_.begin() + sizeof(std::uint32_t), count, whole_.begin() + static_cast<std::ptrdiff_t>(filled));
    filled += count;
    number = big_endian_32(overflow_page_.data());
  }
  return Step::row;
}

}  // namespace gputrace::trace
