#include "collector/guest/nvtx_payloads.h"

#include "collector/guest/nvtx_events.h"

namespace gputrace::guest {

void attach(const Payloads& payloads, Lane& lane, spool::NvtxRecord& record, std::size_t& bytes) {
  constexpr std::size_t kMostPayloads = 16;
  const std::uint32_t id = payloads.data != nullptr && payloads.count != 0 ? lane.next_payload() : 0;
  bool written = false;
  for (std::size_t i = 0; id != 0 && i < std::min(payloads.count, kMostPayloads); ++i) {
    const nvtxPayloadData_t& data = payloads.data[i];
    if (data.payload == nullptr || data.size == 0) continue;
    if (data.size > spool::kMaxPayloadDataBytes) {
      lane.drop();
      continue;
    }
    const spool::NvtxPayloadRecord head{{.id = id}, data.schemaId, payloads.domain, static_cast<std::uint32_t>(data.size)};
    written = lane.write_with_data(RecordType::nvtx_payload, head, {static_cast<const char*>(data.payload), data.size}) || written;
  }
  if (!written) return;
  record.payload_type = spool::kPayloadAttached;
  record.payload = id;
  bytes = sizeof record;
}

namespace {

constexpr std::size_t kMostEntries = 4096;

std::uint64_t given(std::uint64_t mask, std::uint64_t field, std::uint64_t value) { return (mask & field) != 0 ? value : 0; }

void write_entries(Lane& lane, std::uint32_t domain, std::uint64_t schema, const nvtxPayloadSchemaEntry_t* entries, std::size_t count) {
  for (std::size_t i = 0; entries != nullptr && i < std::min(count, kMostEntries); ++i) {
    const nvtxPayloadSchemaEntry_t& entry = entries[i];
    const std::uint32_t name = lane.text(narrow(entry.name)), description = lane.text(narrow(entry.description));
    lane.write(RecordType::nvtx_schema_entry,
               spool::NvtxSchemaEntryRecord{{.id = domain}, schema, entry.type, entry.flags, entry.arrayOrUnionDetail, entry.offset,
                                            static_cast<std::uint32_t>(i), name, description, 0});
  }
}

std::uint64_t register_schema(nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t* attributes) {
  if (attributes == nullptr) return 0;
  const std::uint64_t mask = attributes->fieldMask;
  std::uint64_t schema = given(mask, NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID, attributes->schemaId);
  if (schema == 0) schema = new_schema_id();
  on_lane("NVTX schema", [&](Session&, Lane& lane) {
    const std::uint32_t id = domain_id(lane, domain);
    const bool has_name = (mask & NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME) != 0;
    const std::uint32_t name = has_name ? lane.text(narrow(attributes->name)) : 0;
    const std::size_t entries = given(mask, NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES, attributes->numEntries);
    lane.write(RecordType::nvtx_schema,
               spool::NvtxSchemaRecord{{.id = id}, schema, attributes->type,
                                       given(mask, NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS, attributes->flags),
                                       given(mask, NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE, attributes->payloadStaticSize),
                                       given(mask, NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT, attributes->packAlign), name,
                                       static_cast<std::uint32_t>(entries)});
    if ((mask & NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES) != 0) write_entries(lane, id, schema, attributes->entries, entries);
  });
  return schema;
}

std::uint64_t register_enum(nvtxDomainHandle_t domain, const nvtxPayloadEnumAttr_t* attributes) {
  if (attributes == nullptr) return 0;
  const std::uint64_t mask = attributes->fieldMask;
  std::uint64_t schema = given(mask, NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID, attributes->schemaId);
  if (schema == 0) schema = new_schema_id();
  on_lane("NVTX enumeration", [&](Session&, Lane& lane) {
    const std::uint32_t id = domain_id(lane, domain);
    const bool has_name = (mask & NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME) != 0;
    const std::uint32_t name = has_name ? lane.text(narrow(attributes->name)) : 0;
    lane.write(RecordType::nvtx_enum,
               spool::NvtxEnumRecord{{.id = id}, schema, given(mask, NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE, attributes->sizeOfEnum), name,
                                     static_cast<std::uint32_t>(attributes->numEntries)});
    for (std::size_t i = 0; attributes->entries != nullptr && i < std::min(attributes->numEntries, kMostEntries); ++i) {
      const nvtxPayloadEnum_t& entry = attributes->entries[i];
      const std::uint32_t entry_name = lane.text(narrow(entry.name));
      lane.write(RecordType::nvtx_enum_entry, spool::NvtxEnumEntryRecord{{.id = id}, schema, entry.value, static_cast<std::uint32_t>(i),
                                                                         entry_name, static_cast<std::uint32_t>(entry.isFlag != 0), 0});
    }
  });
  return schema;
}

void mark_payload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, std::size_t count) {
  mark(domain, Payloads{id_of(domain), data, count});
}
int push_payload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, std::size_t count) {
  return push(domain, Payloads{id_of(domain), data, count});
}
int pop_payload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, std::size_t count) {
  return pop(domain, {id_of(domain), data, count});
}
nvtxRangeId_t start_payload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* data, std::size_t count) {
  return start(domain, Payloads{id_of(domain), data, count});
}
void end_payload(nvtxDomainHandle_t domain, nvtxRangeId_t id, const nvtxPayloadData_t* data, std::size_t count) {
  range_end(domain, id, {id_of(domain), data, count});
}
std::uint8_t is_enabled(nvtxDomainHandle_t) { return 1; }

template <class Function>
void set(const nvtxExtModuleSegment_t& segment, std::size_t slot, Function function) {
  if (slot < segment.slotCount) segment.functionSlots[slot] = reinterpret_cast<std::intptr_t>(function);
}

}  // namespace

bool install_nvtx_extension(void* module_info) {
  const auto* info = static_cast<const nvtxExtModuleInfo_t*>(module_info);
  if (info == nullptr || info->moduleId != NVTX_EXT_PAYLOAD_MODULEID || info->segmentsCount == 0 || info->segments == nullptr) return false;
  const nvtxExtModuleSegment_t& segment = info->segments[0];
  if (segment.functionSlots == nullptr) return false;
  set(segment, NVTX3EXT_CBID_nvtxPayloadSchemaRegister, register_schema);
  set(segment, NVTX3EXT_CBID_nvtxPayloadEnumRegister, register_enum);
  set(segment, NVTX3EXT_CBID_nvtxMarkPayload, mark_payload);
  set(segment, NVTX3EXT_CBID_nvtxRangePushPayload, push_payload);
  set(segment, NVTX3EXT_CBID_nvtxRangePopPayload, pop_payload);
  set(segment, NVTX3EXT_CBID_nvtxRangeStartPayload, start_payload);
  set(segment, NVTX3EXT_CBID_nvtxRangeEndPayload, end_payload);
  set(segment, NVTX3EXT_CBID_nvtxDomainIsEnabled, is_enabled);
  return true;
}

}  // namespace gputrace::guest
