#include "trace/batch_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstring>
#include <memory>

#include "trace/record_encoder.h"

namespace gputrace::trace {
namespace {

// A row is smaller than half a page, so each leaf but the last is at least half full. Only what is used is touched.
constexpr std::size_t kLeavesPerByte = 2;
constexpr std::uint8_t kLeaf = 0x0D, kInterior = 0x05;
constexpr std::size_t kLeafHeader = 8, kInteriorHeader = 12;

void put(std::uint8_t* at, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) at[i] = static_cast<std::uint8_t>(value >> (8 * (bytes - 1 - i)));
}

// A b-tree page that is filled from its end downwards, with its cells' places in order after the header.
class PageFill {
 public:
  PageFill(std::uint8_t* page, std::size_t page_bytes, std::uint8_t type)
      : page_(page), header_(type == kLeaf ? kLeafHeader : kInteriorHeader), content_(page_bytes) {
    std::memset(page_, 0, header_);
    page_[0] = type;
    finish();
  }
  bool has_room(std::size_t bytes) const { return header_ + 2 * (cells_ + 1) + bytes <= content_; }
  std::uint8_t* add(std::size_t bytes) {
    content_ -= bytes;
    put(page_ + header_ + 2 * cells_++, static_cast<std::uint32_t>(content_), 2);
    return page_ + content_;
  }
  void finish() {
    put(page_ + 3, static_cast<std::uint32_t>(cells_), 2);
    put(page_ + 5, static_cast<std::uint32_t>(content_ & 0xFFFF), 2);  // 65536 is written as 0
  }

 private:
  std::uint8_t* page_;
  std::size_t header_, content_, cells_ = 0;
};

using Connection = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;

// Written by SQLite itself, so that the schema is as it should be; roots get the tables' root pages.
std::vector<std::uint8_t> empty_image(std::span<const TableDefinition> tables, std::size_t page_bytes, std::vector<std::uint32_t>& roots) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open(":memory:", &opened);
  const Connection database(opened, sqlite3_close);
  if (status != SQLITE_OK) return {};
  std::string sql = fmt::format("PRAGMA page_size={};", page_bytes);
  for (const TableDefinition& table : tables) sql += fmt::format("CREATE TABLE {}({});", table.name, table.columns);
  const auto keep_root = [](void* into, int, char** values, char**) {
    static_cast<std::vector<std::uint32_t>*>(into)->push_back(static_cast<std::uint32_t>(std::atoi(values[0])));
    return 0;
  };
  if (sqlite3_exec(opened, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return {};
  if (sqlite3_exec(opened, "SELECT rootpage FROM sqlite_schema ORDER BY rowid", keep_root, &roots, nullptr) != SQLITE_OK) return {};
  sqlite3_int64 bytes = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> image(sqlite3_serialize(opened, "main", &bytes, 0), sqlite3_free);
  if (image == nullptr) return {};
  return {image.get(), image.get() + bytes};
}

}  // namespace

Result<void> BatchDatabase::attach(sqlite3* database, std::span<const TableDefinition> tables) {
  const std::vector<std::uint8_t> empty = empty_image(tables, kPageBytes, roots_);
  if (empty.empty() || roots_.size() != tables.size()) return fail("SQLite could not make the tables of a batch", "memory");
  pages_ = static_cast<std::uint32_t>(empty.size() / kPageBytes);
  changes_ = 1'000'000;  // far from what SQLite counted while it made the tables
  first_leaf_ = pages_ + 1;
  const std::size_t bytes = empty.size() + kLeavesPerByte * kMostRowBytes + kPageBytes;
  image_.reset(static_cast<std::uint8_t*>(std::calloc(bytes, 1)));
  if (image_ == nullptr) return fail("no memory for a batch of rows", "memory");
  std::memcpy(image_.get(), empty.data(), empty.size());
  const auto size = static_cast<sqlite3_int64>(bytes);
  const std::string attach = fmt::format("ATTACH ':memory:' AS {}", schema_);
  if (sqlite3_exec(database, attach.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK ||
      sqlite3_deserialize(database, schema_.c_str(), image_.get(), size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
    return fail(fmt::format("SQLite could not attach a batch ({})", sqlite3_errmsg(database)), "memory");
  }
  return {};
}

// The change counter, by which SQLite knows that what it has read of this database is stale, and the number of pages.
void BatchDatabase::changed() {
  constexpr std::size_t kChangeCounter = 24, kPageCount = 28, kValidFor = 92;
  ++changes_;
  put(page(1) + kChangeCounter, changes_, 4);
  put(page(1) + kPageCount, pages_, 4);
  put(page(1) + kValidFor, changes_, 4);
}

// One leaf is the root itself; more have the root above them, with the last row of each but the last as key.
void BatchDatabase::fill(std::size_t table, const RowBatch& rows, RecordEncoder& encoder) {
  struct Leaf {
    std::uint32_t page;
    std::uint64_t last_row;
  };
  std::vector<Leaf> leaves;
  pages_ = first_leaf_ - 1;
  const auto open_leaf = [&] {
    leaves.push_back({++pages_, 0});
    return PageFill(page(leaves.back().page), kPageBytes, kLeaf);
  };
  PageFill leaf = open_leaf();
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto record = encoder.encode(rows, row);
    std::uint8_t head[16];
    std::uint8_t* head_end = put_varint(put_varint(head, record.size()), row + 1);
    const auto head_bytes = static_cast<std::size_t>(head_end - head);
    if (!leaf.has_room(head_bytes + record.size())) {
      leaf.finish();
      leaf = open_leaf();
    }
    std::uint8_t* cell = leaf.add(head_bytes + record.size());
    std::memcpy(cell, head, head_bytes);
    std::memcpy(cell + head_bytes, record.data(), record.size());
    leaves.back().last_row = row + 1;
  }
  leaf.finish();
  std::uint8_t* root = page(roots_[table]);
  if (leaves.size() == 1) {
    std::memcpy(root, page(leaves[0].page), kPageBytes);
    --pages_;
  } else {
    PageFill above(root, kPageBytes, kInterior);
    for (std::size_t i = 0; i + 1 < leaves.size(); ++i) {
      std::uint8_t key[16];
      const auto key_bytes = static_cast<std::size_t>(put_varint(key, leaves[i].last_row) - key);
      std::uint8_t* cell = above.add(4 + key_bytes);
      put(cell, leaves[i].page, 4);
      std::memcpy(cell + 4, key, key_bytes);
    }
    above.finish();
    put(root + 8, leaves.back().page, 4);
  }
  changed();
}

}  // namespace gputrace::trace
