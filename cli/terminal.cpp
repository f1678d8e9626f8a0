#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace gputrace::cli {
namespace {

constexpr int kDefaultWidth = 80;

int columns_variable() {
  const char* text = std::getenv("COLUMNS");
  const std::string_view view = text != nullptr ? text : "";
  int width = 0;
  const auto parsed = std::from_chars(view.data(), view.data() + view.size(), width);
  const bool whole = parsed.ec == std::errc{} && parsed.ptr == view.data() + view.size();
  return whole && width > 0 ? width : kDefaultWidth;
}

}  // namespace

bool is_terminal(int descriptor) { return isatty(descriptor) == 1; }

int terminal_width(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return columns_variable();
}

bool wants_color(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (no_color != nullptr && *no_color != '\0') return false;
  return is_terminal(descriptor) && (term == nullptr || std::string_view(term) != "dumb");
}

}  // namespace gputrace::cli
