#include "collector/guest/nvtx_registry.h"

#include <pthread.h>

#include <atomic>
#include <memory>
#include <vector>

#include <nvtx3/nvToolsExtPayload.h>

#include "collector/guest/guarded.h"

namespace gputrace::guest {

namespace {

constexpr std::size_t kMaxWideCharacters = 4096;

struct Registry {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  std::vector<std::unique_ptr<Domain>> domains;
  std::vector<std::unique_ptr<RegisteredText>> texts;
};

Registry& registry() {
  static Registry* const instance = [] {
    auto* made = new Registry;
    // Held across a fork, so that the child finds it free and whole.
    pthread_atfork([] { pthread_mutex_lock(&registry().lock); }, [] { pthread_mutex_unlock(&registry().lock); },
                   [] { pthread_mutex_unlock(&registry().lock); });
    return made;
  }();
  return *instance;
}

class RegistryLock {
 public:
  explicit RegistryLock(Registry& held) : held_(held) { pthread_mutex_lock(&held_.lock); }
  RegistryLock(const RegistryLock&) = delete;
  RegistryLock& operator=(const RegistryLock&) = delete;
  ~RegistryLock() { pthread_mutex_unlock(&held_.lock); }

 private:
  Registry& held_;
};

}  // namespace

std::string narrow(const wchar_t* wide) {
  std::string text;
  for (std::size_t i = 0; wide != nullptr && wide[i] != 0 && i < kMaxWideCharacters; ++i) {
    const auto c = static_cast<std::uint32_t>(wide[i]);
    const auto put = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (c < 0x80) put(c);
    else if (c < 0x800) put(0xC0 | c >> 6), put(0x80 | (c & 63));
    else if (c < 0x10000) put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
    else if (c < 0x110000)
      put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 63)), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
  }
  return text;
}

nvtxDomainHandle_t create_domain(std::string_view name) {
  Domain* found = nullptr;
  guarded("NVTX domain", [&] {
    Registry& all = registry();
    const RegistryLock held(all);
    for (const auto& domain : all.domains) {
      if (domain->name == name) found = domain.get();
    }
    if (found != nullptr || all.domains.size() >= UINT16_MAX) return;
    const auto id = static_cast<std::uint16_t>(all.domains.size() + 1);
    all.domains.push_back(std::make_unique<Domain>(Domain{id, std::string(name)}));
    found = all.domains.back().get();
  });
  return reinterpret_cast<nvtxDomainHandle_t>(found);
}

nvtxStringHandle_t register_text(std::string_view text) {
  RegisteredText* kept = nullptr;
  guarded("NVTX string", [&] {
    Registry& all = registry();
    const RegistryLock held(all);
    all.texts.push_back(std::make_unique<RegisteredText>(RegisteredText{std::string(text)}));
    kept = all.texts.back().get();
  });
  return reinterpret_cast<nvtxStringHandle_t>(kept);
}

std::uint64_t new_schema_id() noexcept {
  static std::atomic<std::uint64_t> next{NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace gputrace::guest
