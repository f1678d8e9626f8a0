// The functions that NVTX calls.
#include "collector/guest/nvtx_callbacks.h"

#include <vector>

#include "collector/guest/nvtx_events.h"

namespace gputrace::guest {

namespace {

void name_category(nvtxDomainHandle_t domain, std::uint32_t category, std::string_view name) {
  on_lane("NVTX category", [&](Session&, Lane& lane) {
    const std::uint32_t id = domain_id(lane, domain);
    lane.write(RecordType::nvtx_category, spool::NvtxCategoryRecord{{.id = id}, category, lane.text(name)});
  });
}

void name_thread(std::uint32_t tid, std::string_view name) {
  on_lane("NVTX thread name", [&](Session&, Lane& lane) {
    lane.write(RecordType::thread_name, spool::ThreadNameRecord{{.flags = 1}, lane.text(name), tid});
  });
}

// -- the functions of NVTX's tables --

void mark_ex(const nvtxEventAttributes_t* a) { mark(nullptr, known_part(a)); }
void mark_a(const char* text) { mark(nullptr, text); }
void mark_w(const wchar_t* text) { mark(nullptr, text); }
nvtxRangeId_t domain_range_start_ex(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* a) {
  return start(domain, known_part(a));
}
nvtxRangeId_t range_start_ex(const nvtxEventAttributes_t* a) { return start(nullptr, known_part(a)); }
nvtxRangeId_t range_start_a(const char* text) { return start(nullptr, text); }
nvtxRangeId_t range_start_w(const wchar_t* text) { return start(nullptr, text); }
void range_end_default(nvtxRangeId_t id) { range_end(nullptr, id); }
void domain_range_end(nvtxDomainHandle_t domain, nvtxRangeId_t id) { range_end(domain, id); }
int range_push_ex(const nvtxEventAttributes_t* a) { return push(nullptr, known_part(a)); }
int range_push_a(const char* text) { return push(nullptr, text); }
int range_push_w(const wchar_t* text) { return push(nullptr, text); }
int range_pop() { return pop(nullptr); }
void name_category_a(std::uint32_t id, const char* name) { name_category(nullptr, id, narrow(name)); }
void name_category_w(std::uint32_t id, const wchar_t* name) { name_category(nullptr, id, narrow(name)); }
void name_thread_a(std::uint32_t tid, const char* name) { name_thread(tid, narrow(name)); }
void name_thread_w(std::uint32_t tid, const wchar_t* name) { name_thread(tid, narrow(name)); }

void domain_mark_ex(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) { mark(d, known_part(a)); }
int domain_push_ex(nvtxDomainHandle_t d, const nvtxEventAttributes_t* a) { return push(d, known_part(a)); }
int domain_pop(nvtxDomainHandle_t d) { return pop(d); }
void domain_name_category_a(nvtxDomainHandle_t d, std::uint32_t id, const char* name) {
  name_category(d, id, narrow(name));
}
void domain_name_category_w(nvtxDomainHandle_t d, std::uint32_t id, const wchar_t* name) {
  name_category(d, id, narrow(name));
}
nvtxStringHandle_t register_string_a(nvtxDomainHandle_t, const char* text) { return register_text(narrow(text)); }
nvtxStringHandle_t register_string_w(nvtxDomainHandle_t, const wchar_t* text) { return register_text(narrow(text)); }
nvtxDomainHandle_t domain_create_a(const char* name) { return create_domain(narrow(name)); }
nvtxDomainHandle_t domain_create_w(const wchar_t* name) { return create_domain(narrow(name)); }
void domain_destroy(nvtxDomainHandle_t) {}  // its events stay, and so does its name

nvtxResourceHandle_t resource_create(nvtxDomainHandle_t, nvtxResourceAttributes_t* attributes) {
  if (attributes == nullptr || attributes->identifierType != NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE) return nullptr;
  on_lane("NVTX resource", [&](Session&, Lane& lane) {
    const std::uint32_t name = message_id(lane, attributes->messageType, attributes->message);
    const auto tid = static_cast<std::uint32_t>(attributes->identifier.ullValue);
    lane.write(RecordType::thread_name, spool::ThreadNameRecord{{.flags = 1}, name, tid});
  });
  return nullptr;
}

template <class Function>
NvtxFunctionPointer generic(Function function) {
  return reinterpret_cast<NvtxFunctionPointer>(function);
}

struct TableEntry {
  unsigned id;
  NvtxFunctionPointer function;
};

bool fill(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module,
          const std::vector<TableEntry>& entries) {
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks.GetModuleFunctionTable(module, &table, &size) == 0 || table == nullptr) return false;
  for (const TableEntry& entry : entries) {
    if (entry.id < size && table[entry.id] != nullptr) *table[entry.id] = entry.function;
  }
  return true;
}

}  // namespace

bool install_nvtx(NvtxExportTable get_export_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof *callbacks ||
      callbacks->GetModuleFunctionTable == nullptr)
    return false;
  const bool core = fill(*callbacks, NVTX_CB_MODULE_CORE,
                         {{NVTX_CBID_CORE_MarkEx, generic(mark_ex)},
                          {NVTX_CBID_CORE_MarkA, generic(mark_a)},
                          {NVTX_CBID_CORE_MarkW, generic(mark_w)},
                          {NVTX_CBID_CORE_RangeStartEx, generic(range_start_ex)},
                          {NVTX_CBID_CORE_RangeStartA, generic(range_start_a)},
                          {NVTX_CBID_CORE_RangeStartW, generic(range_start_w)},
                          {NVTX_CBID_CORE_RangeEnd, generic(range_end_default)},
                          {NVTX_CBID_CORE_RangePushEx, generic(range_push_ex)},
                          {NVTX_CBID_CORE_RangePushA, generic(range_push_a)},
                          {NVTX_CBID_CORE_RangePushW, generic(range_push_w)},
                          {NVTX_CBID_CORE_RangePop, generic(range_pop)},
                          {NVTX_CBID_CORE_NameCategoryA, generic(name_category_a)},
                          {NVTX_CBID_CORE_NameCategoryW, generic(name_category_w)},
                          {NVTX_CBID_CORE_NameOsThreadA, generic(name_thread_a)},
                          {NVTX_CBID_CORE_NameOsThreadW, generic(name_thread_w)}});
  // Absent in NVTX 2, which had no domains.
  fill(*callbacks, NVTX_CB_MODULE_CORE2,
       {{NVTX_CBID_CORE2_DomainMarkEx, generic(domain_mark_ex)},
        {NVTX_CBID_CORE2_DomainRangeStartEx, generic(domain_range_start_ex)},
        {NVTX_CBID_CORE2_DomainRangeEnd, generic(domain_range_end)},
        {NVTX_CBID_CORE2_DomainRangePushEx, generic(domain_push_ex)},
        {NVTX_CBID_CORE2_DomainRangePop, generic(domain_pop)},
        {NVTX_CBID_CORE2_DomainResourceCreate, generic(resource_create)},
        {NVTX_CBID_CORE2_DomainNameCategoryA, generic(domain_name_category_a)},
        {NVTX_CBID_CORE2_DomainNameCategoryW, generic(domain_name_category_w)},
        {NVTX_CBID_CORE2_DomainRegisterStringA, generic(register_string_a)},
        {NVTX_CBID_CORE2_DomainRegisterStringW, generic(register_string_w)},
        {NVTX_CBID_CORE2_DomainCreateA, generic(domain_create_a)},
        {NVTX_CBID_CORE2_DomainCreateW, generic(domain_create_w)},
        {NVTX_CBID_CORE2_DomainDestroy, generic(domain_destroy)}});
  return core;
}

}  // namespace gputrace::guest
