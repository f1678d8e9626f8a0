// NVTX.
#include <bit>

#include "collector/record_converter.h"
#include "collector/spool_reader.h"

namespace gputrace::collector {

namespace {
constexpr std::size_t kMostPayloadBytes = 16 << 10;  // of one event
}

std::int64_t RecordConverter::nvtx_time(const spool::NvtxRecord& record) const {
  return moved_by(record.time_ns, record.header.flags & spool::kRealtime ? offsets_.realtime_ns : offsets_.cupti_ns);
}

trace::NvtxRow RecordConverter::nvtx_row(Lane& lane, const spool::NvtxRecord& record, trace::NvtxKind kind) {
  trace::NvtxRow row;
  row.start_ns = nvtx_time(record);
  row.kind = kind;
  row.global_tid = lane.global_tid;
  row.domain = record.domain;
  row.category = record.category;
  row.range_id = static_cast<std::int64_t>(record.range);
  if (record.header.flags & spool::kHasColor) row.color_argb = record.color_argb;
  if (record.header.id != 0) row.text = string_of(lane, record.header.id);
  row.binary = take_payload(lane, record);
  switch (record.payload_type) {  // nvtxPayloadType_t
    case 1: case 2: row.int64_value = static_cast<std::int64_t>(record.payload); break;
    case 3: row.double_value = std::bit_cast<double>(record.payload); break;
    case 4: row.int64_value = static_cast<std::uint32_t>(record.payload); break;
    case 5: row.int64_value = static_cast<std::int32_t>(record.payload); break;
    case 6: row.double_value = std::bit_cast<float>(static_cast<std::uint32_t>(record.payload)); break;
    default: break;
  }
  return row;
}

void RecordConverter::nvtx_push(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::NvtxRecord>(bytes);
  pairing_.push(nvtx_row(lane, record, trace::NvtxKind::push_pop), record.level);
}

void RecordConverter::nvtx_pop(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::NvtxRecord>(bytes);
  pairing_.pop(lane.global_tid, record.domain, record.level, nvtx_time(record), take_payload(lane, record));
}

void RecordConverter::nvtx_mark(Lane& lane, Bytes bytes) {
  add_nvtx(nvtx_row(lane, record_as<spool::NvtxRecord>(bytes), trace::NvtxKind::mark));
}

void RecordConverter::nvtx_start(Lane& lane, Bytes bytes) {
  pairing_.start(nvtx_row(lane, record_as<spool::NvtxRecord>(bytes), trace::NvtxKind::start_end));
}

void RecordConverter::nvtx_end(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::NvtxRecord>(bytes);
  pairing_.end(record.range, lane.global_tid, nvtx_time(record), take_payload(lane, record));
}

void RecordConverter::nvtx_domain(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::NvtxDomainRecord>(bytes);
  if (!domains_.try_emplace(record.header.id, 0).second) return;  // each lane says it
  trace::NvtxRow row;
  row.kind = trace::NvtxKind::domain_create;
  row.global_tid = lane.global_tid;
  row.domain = record.header.id;
  row.text = string_of(lane, record.text);
  writer_.add(row);
}

void RecordConverter::nvtx_category(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::NvtxCategoryRecord>(bytes);
  trace::NvtxRow row;
  row.kind = trace::NvtxKind::category;
  row.global_tid = lane.global_tid;
  row.domain = record.header.id;
  row.category = record.category;
  row.text = string_of(lane, record.text);
  writer_.add(row);
}

// -- payloads --

void RecordConverter::nvtx_payload(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::NvtxPayloadRecord>(bytes);
  const Bytes rest = bytes.subspan(std::min(bytes.size(), sizeof record));
  if (record.payload_bytes > rest.size()) return assembly_.count("NVTX payloads that are damaged");
  if (lane.payload_id != record.header.id) lane.payload.clear();
  if (lane.payload.size() > kMostPayloadBytes) return assembly_.count("NVTX payloads of events that have too many");
  lane.payload_id = record.header.id;
  append_payload(lane.payload, record.domain, record.schema, rest.first(record.payload_bytes));
}

// The event says which payload it has: the one before it, or none where that was dropped.
std::string RecordConverter::take_payload(Lane& lane, const spool::NvtxRecord& record) {
  if (record.payload_type != spool::kPayloadAttached || record.payload != lane.payload_id) return {};
  lane.payload_id = 0;
  return std::exchange(lane.payload, {});
}

// A payload may come before its schema: lanes are written in turn.
void RecordConverter::add_nvtx(trace::NvtxRow row) {
  if (row.binary.empty()) return writer_.add(row);
  const auto json = payloads_.in_words(row.binary);
  if (!json) return void(waiting_for_schema_.push_back(std::move(row)));
  if (!json->empty()) row.json = writer_.intern(*json);
  writer_.add(row);
}

void RecordConverter::nvtx_schema(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::NvtxSchemaRecord>(bytes);
  trace::NvtxSchema schema{.domain = record.header.id, .schema = static_cast<std::int64_t>(record.schema),
                           .type = static_cast<std::int64_t>(record.type), .flags = static_cast<std::int64_t>(record.flags),
                           .payload_bytes = static_cast<std::int64_t>(record.payload_bytes),
                           .alignment = static_cast<std::int64_t>(record.alignment), .name = text_of(lane, record.name)};
  payloads_.add(std::move(schema));
}

void RecordConverter::nvtx_schema_entry(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::NvtxSchemaEntryRecord>(bytes);
  payloads_.add_entry(record.header.id, record.schema, record.index,
                      {.flags = static_cast<std::int64_t>(record.flags), .type = static_cast<std::int64_t>(record.type),
                       .array_or_union_detail = static_cast<std::int64_t>(record.array_or_union_detail),
                       .offset = static_cast<std::int64_t>(record.offset), .name = text_of(lane, record.name),
                       .description = text_of(lane, record.description)});
}

void RecordConverter::nvtx_enum(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::NvtxEnumRecord>(bytes);
  payloads_.add({.domain = record.header.id, .schema = static_cast<std::int64_t>(record.schema),
                 .value_bytes = static_cast<std::int64_t>(record.value_bytes), .name = text_of(lane, record.name)});
}

void RecordConverter::nvtx_enum_entry(Lane& lane, Bytes bytes) {
  const auto record = record_as<spool::NvtxEnumEntryRecord>(bytes);
  payloads_.add_entry(record.header.id, record.schema, record.index,
                      {.value = static_cast<std::int64_t>(record.value), .is_flag = record.is_flag != 0,
                       .name = text_of(lane, record.name)});
}

void RecordConverter::finish_payloads() {
  for (trace::NvtxRow& row : waiting_for_schema_) {
    const auto json = payloads_.in_words(row.binary);
    if (json && !json->empty()) row.json = writer_.intern(*json);
    writer_.add(row);
  }
  waiting_for_schema_.clear();
  payloads_.for_each_schema([this](const trace::NvtxSchema& schema) { writer_.add(schema); });
  payloads_.for_each_enum([this](const trace::NvtxEnum& enumeration) { writer_.add(enumeration); });
}

}  // namespace gputrace::collector
