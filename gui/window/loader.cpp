#include "gui/window/loader.h"

namespace gputrace::gui {

Loader::Loader(std::filesystem::path file) : file_{std::move(file)} {
  thread_ = std::thread{[this] {
    result_ = open_session(file_, [this](const char* stage, double share) {
      stage_ = stage;
      share_ = static_cast<float>(share);
      return !cancelled_;
    });
    ready_ = true;
  }};
}

Loader::~Loader() {
  cancelled_ = true;
  thread_.join();
}

std::optional<Result<std::unique_ptr<Session>>> Loader::take() {
  if (!ready_ || !result_) return std::nullopt;
  auto taken = std::move(result_);
  result_.reset();
  return taken;
}

}  // namespace gputrace::gui
