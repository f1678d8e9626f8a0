#include "collector/guest/capture_switch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/capture_switch_page.h"
#include "collector/guest/guarded.h"
#include "collector/guest/helper_thread.h"
#include "collector/guest/session.h"

namespace gputrace::guest {

namespace {

constexpr timespec kLongestWait{.tv_sec = 1, .tv_nsec = 0};  // the recording may have ended meanwhile

// Stays mapped: the file may be removed, the page then stays.
spool::CaptureSwitchPage* map_page(const std::string& path) {
  leave_descriptor_table();
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat status{};
  void* memory = MAP_FAILED;
  if (fstat(file, &status) == 0 && status.st_size >= static_cast<off_t>(sizeof(spool::CaptureSwitchPage))) {
    memory = mmap(nullptr, sizeof(spool::CaptureSwitchPage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  if (memory == MAP_FAILED) return nullptr;
  auto* page = static_cast<spool::CaptureSwitchPage*>(memory);
  return page->magic == spool::CaptureSwitchPage::kMagic ? page : nullptr;
}

void follow(Session& session) {
  spool::CaptureSwitchPage* page = map_page(session.options().capture_switch);
  if (page == nullptr) {
    if (Lane* lane = session.new_lane(16, 4096)) {
      lane->write(spool::RecordType::note, spool::NoteRecord{{.id = lane->text(
          "nothing was recorded: the switch of --capture-signal can not be read: " + session.options().capture_switch)}});
    }
    return;
  }
  while (session.recording()) {
    const std::uint32_t flips = page->flips.load();
    session.set_switch(flips % 2 == 1);
    spool::wait_for_flip(*page, flips, kLongestWait);
  }
}

}  // namespace

void follow_capture_switch(Session& session) noexcept {
  const auto body = [](void* of) -> void* {
    guarded("capture switch", [of] { follow(*static_cast<Session*>(of)); });
    return nullptr;
  };
  start_thread(body, &session, "gputrace-switch");
}

}  // namespace gputrace::guest
