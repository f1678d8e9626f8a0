#include "cli/capture_switch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "collector/capture_switch_page.h"

namespace gputrace::cli {

namespace {
std::atomic<spool::CaptureSwitchPage*> g_page{nullptr};
static_assert(std::atomic<spool::CaptureSwitchPage*>::is_always_lock_free);
}  // namespace

int capture_signal(const std::string& name) { return name == "USR1" ? SIGUSR1 : name == "USR2" ? SIGUSR2 : 0; }

Result<CaptureSwitch> CaptureSwitch::create(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / spool::kSwitchFile;
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return fail(std::string("cannot create the capture switch: ") + std::strerror(errno), path.string());
  const spool::CaptureSwitchPage fresh;
  // Written, not only made longer: on a full disk a page without space is a SIGBUS at the first touch.
  const bool written = write(file, &fresh, sizeof fresh) == static_cast<ssize_t>(sizeof fresh);
  void* memory = written ? mmap(nullptr, sizeof fresh, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  const int error = errno;
  close(file);
  if (memory == MAP_FAILED) return fail(std::string("cannot create the capture switch: ") + std::strerror(error), path.string());
  return CaptureSwitch(path, static_cast<spool::CaptureSwitchPage*>(memory));
}

CaptureSwitch::CaptureSwitch(std::filesystem::path path, spool::CaptureSwitchPage* page) : path_(std::move(path)), page_(page) {
  g_page = page;
}

CaptureSwitch::CaptureSwitch(CaptureSwitch&& other) noexcept
    : path_(std::move(other.path_)), page_(std::exchange(other.page_, nullptr)) {}

CaptureSwitch::~CaptureSwitch() {
  if (page_ == nullptr) return;
  g_page = nullptr;
  munmap(page_, sizeof *page_);
  std::error_code ignored;  // the file is removed with its folder at the latest
  std::filesystem::remove(path_, ignored);
}

void CaptureSwitch::flip_current() noexcept {
  if (spool::CaptureSwitchPage* page = g_page.load()) spool::flip(*page);
}

}  // namespace gputrace::cli
