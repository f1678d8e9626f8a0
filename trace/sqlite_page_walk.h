// The rows of an ordinary SQLite table straight from its b-tree pages, several times faster than sqlite3_step. It gives rows only as
// long as everything is as the format has it. Whatever it does not know, and nearly all damage, it leaves to SQLite, which goes on from
// that row (TableCursor) and finds the words for what is wrong.
// Format: https://www.sqlite.org/fileformat2.html, sections 1.5 and 1.6.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/sqlite_pages.h"
#include "trace/sqlite_record.h"

struct sqlite3;

namespace gputrace::trace {

class SqlitePageWalk {
 public:
  enum class Step : std::uint8_t {
    row,
    end,
    leave,   // to SQLite, from the row on that would have been next
    damaged  // by pages that belong to a table twice: SQLite would go round and round
  };

  // None: the table is left to SQLite as a whole, since it has no rowid, or a column that is computed, or is asked for a column whose
  // values are converted when read. A column that the table lacks is NULL in every row. `database` must outlive this.
  static std::optional<SqlitePageWalk> open(sqlite3* database, std::string_view table, std::span<const std::string_view> columns);

  // Moves to the next row and sets its cells, one per column asked for. Text is valid until the next call.
  Step next(std::span<SqliteCell> cells);

 private:
  // Pages on the way from the root to the leaf, each with the child to enter next.
  struct Level {
    std::vector<std::uint8_t> page;
    std::uint32_t cells = 0, next_child = 0;
  };
  // Where a cell lies in its page.
  struct Payload {
    std::span<const std::uint8_t> local;
    std::uint64_t bytes = 0;  // with what lies on overflow pages
    std::uint32_t first_overflow_page = 0;
    std::int64_t rowid = 0;
  };

  explicit SqlitePageWalk(SqlitePages pages) : pages_(std::move(pages)) {}

  Step enter(std::uint32_t page);
  Step next_leaf();
  std::optional<std::uint32_t> child_of(const Level& level, std::uint32_t child) const;
  std::optional<Payload> payload_of(std::uint32_t cell) const;
  Step read_overflow(const Payload& payload);
  Step decode(const Payload& payload, std::span<SqliteCell> cells);
  bool visit() { return ++visits_ <= pages_.page_count(); }

  SqlitePages pages_;
  std::vector<RecordColumn> columns_;                             // of the record, as far as any is wanted
  std::vector<std::int32_t> rowid_cells_, absent_cells_;          // cells that no column of the record fills
  std::vector<std::pair<std::int32_t, std::int32_t>> same_cells_;  // from, to: a column asked for twice
  std::uint32_t root_ = 0;
  std::uint64_t visits_ = 0;  // pages; each belongs to one place of one table

  std::vector<Level> levels_;
  std::size_t depth_ = 0;  // of `levels_`: the rest is kept for its memory
  const std::uint8_t* leaf_ = nullptr;
  std::uint32_t leaf_cells_ = 0, next_cell_ = 0;
  std::vector<std::uint8_t> whole_, overflow_page_;  // a record that goes on on overflow pages
};

}  // namespace gputrace::trace
