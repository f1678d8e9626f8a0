#include "trainer/annotations.h"

#include <nvtx3/nvToolsExt.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace trainer {

namespace {

nvtxDomainHandle_t domain_of(Concern concern) {
  static const std::array<nvtxDomainHandle_t, 3> domains = {
      nvtxDomainCreateA("step"), nvtxDomainCreateA("op"), nvtxDomainCreateA("data")};
  return domains[static_cast<std::size_t>(concern)];
}

nvtxEventAttributes_t empty_attributes() {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  return attributes;
}

}  // namespace

RangeText::RangeText(Concern concern, const std::string& text)
    : concern_(concern), registered_(nvtxDomainRegisterStringA(domain_of(concern), text.c_str())) {}

Range::Range(const RangeText& text) : concern_(text.concern_) {
  nvtxEventAttributes_t attributes = empty_attributes();
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = static_cast<nvtxStringHandle_t>(text.registered_);
  nvtxDomainRangePushEx(domain_of(concern_), &attributes);
}

Range::Range(Concern concern, const std::string& text) : concern_(concern) {
  nvtxEventAttributes_t attributes = empty_attributes();
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = text.c_str();
  nvtxDomainRangePushEx(domain_of(concern_), &attributes);
}

Range::~Range() { nvtxDomainRangePop(domain_of(concern_)); }

void name_calling_thread(const std::string& name) {
  nvtxNameOsThreadA(static_cast<uint32_t>(syscall(SYS_gettid)), name.c_str());
}

}  // namespace trainer
