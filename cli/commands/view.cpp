// gputrace view: the timeline, in a window or as a picture.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "analyzer/name_rules.h"
#include "cli/command.h"
#include "cli/open_trace.h"
#include "cli/output_file.h"
#ifdef GPUTRACE_HAVE_GUI
#include "gui/quantity_text.h"
#include "gui/screenshot.h"
#endif

namespace gputrace::cli {
namespace {

struct Options {
  std::string file, below, picture, names, at, span, size = "1600x900", theme, lanes;
  int finding = 0;  // 0: none
  double scale = 0;  // 0: not given
  bool force = false;
};

#ifdef GPUTRACE_HAVE_GUI
constexpr int kMinPixels = 200, kMaxPixels = 8192;

Result<std::optional<double>> duration(const std::string& text, const char* option) {
  if (text.empty()) return std::nullopt;
  double ns = 0;
  if (!gui::parse_duration(text, ns) || ns < 0)
    return fail("'" + text + "' is not a time", option, "write 12.5ms, 300us or 2s");
  return ns;
}

Result<gui::CanvasOptions> canvas(const Options& options) {
  gui::CanvasOptions canvas{.dark = options.theme != "light",
                            .scale = options.scale == 0 ? 1 : static_cast<float>(options.scale)};
  char rest = 0;
  const bool parsed = std::sscanf(options.size.c_str(), "%dx%d%c", &canvas.width, &canvas.height, &rest) == 2;
  const auto fits = [](int pixels) { return pixels >= kMinPixels && pixels <= kMaxPixels; };
  if (!parsed || !fits(canvas.width) || !fits(canvas.height))
    return fail("'" + options.size + "' is not a size", "--size",
                "write 1600x900: 200 to 8192 pixels each way");
  return canvas;
}

Result<gui::ScreenshotOptions> screenshot_options(const Options& options) {
  gui::ScreenshotOptions picture;
  const auto drawn_on = canvas(options);
  if (!drawn_on) return tl::unexpected(drawn_on.error());
  const auto at = duration(options.at, "--at"), span = duration(options.span, "--span");
  if (!at) return tl::unexpected(at.error());
  if (!span) return tl::unexpected(span.error());
  picture.canvas = *drawn_on;
  picture.at_ns = *at;
  picture.span_ns = *span;
  picture.lane_filter = options.lanes;
  if (options.finding > 0) picture.finding = static_cast<std::size_t>(options.finding - 1);
  return picture;
}

Result<void> take_screenshot(const Options& options) {
  if (auto free = check_output(options.picture, options.force, options.file); !free) return free;
  auto picture = screenshot_options(options);
  if (!picture) return tl::unexpected(picture.error());
  const auto name_rules = analyzer::users_name_rules(options.names);
  if (!name_rules) return tl::unexpected(name_rules.error());
  auto trace = open_trace(options.file);
  if (!trace) return tl::unexpected(trace.error());
  const gui::Session session{std::move(*trace), *name_rules};
  std::optional<gui::Session> below;
  if (!options.below.empty()) {
    auto second = open_trace(options.below);
    if (!second) return tl::unexpected(second.error());
    below.emplace(std::move(*second), *name_rules);
    picture->below = &*below;
  }
  const std::size_t findings = session.diagnosis.findings.size();
  if (picture->finding && *picture->finding >= findings)
    return fail("there is no finding " + std::to_string(options.finding), "--finding",
                findings == 0 ? "the report has none" : "the report has 1 to " + std::to_string(findings));
  const auto png = gui::encode_png(gui::screenshot(session, *picture));
  if (!png) return tl::unexpected(png.error());
  return write_output(options.picture, options.force, *png);
}
#else
Result<void> take_screenshot(const Options&) {
  return fail("this build has no viewer", "", "build with gui in GPUTRACE_STAGES, or use 'gputrace report'");
}
#endif

std::filesystem::path own_folder() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path{} : program.parent_path();
}

bool has_display() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return set("DISPLAY") || set("WAYLAND_DISPLAY");
}

// The window is a program of its own, beside this one: this one runs where there is no X11 and no GL. Returns
// only where it could not be started.
Result<void> open_window(const Options& options) {
  const std::string instead = "use --screenshot OUT.png, or 'gputrace report --format html -o OUT.html'";
  for (const std::string& file : {options.file, options.below})
    if (std::error_code error; !file.empty() && !std::filesystem::exists(file, error))
      return fail("there is no such file", file);
  if (!has_display()) return fail("there is no display here", "", instead);
  const std::string program = (own_folder() / "gputrace-view").string();
  const std::string scale = std::to_string(options.scale), finding = std::to_string(options.finding);
  std::vector<const char*> arguments{program.c_str(), options.file.c_str()};
  const auto add_option = [&](const char* name, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {name, value.c_str()});
  };
  add_option("--theme", options.theme);  // without it, as the window was left
  if (options.scale != 0) add_option("--scale", scale);
  add_option("--at", options.at);
  add_option("--span", options.span);
  add_option("--names", options.names);
  if (options.finding > 0) add_option("--finding", finding);
  if (!options.below.empty()) arguments.push_back(options.below.c_str());
  arguments.push_back(nullptr);
  execv(program.c_str(), const_cast<char* const*>(arguments.data()));
  const std::string why =
      errno == ENOENT ? "this build has no window (gputrace-view is missing)" : std::strerror(errno);
  return fail("cannot open the window: " + why, program, instead);
}

void add(CLI::App& app, int& exit_status) {
  const auto options =
      std::make_shared<Options>();  // shared by the parser and the callback, which outlive this call
  app.add_option("FILE", options->file, "a trace of gputrace, or an Nsight Systems SQLite export")
      ->required();
  app.add_option("SECOND", options->below, "a second trace, shown below the first and compared with it");
  app.add_option("--names", options->names, "your own names for kernels, as in gputrace explain --help");
  const auto* picture =
      app.add_option("--screenshot", options->picture, "write a PNG picture; needs no display");
  app.add_option("--at", options->at, "start of the shown stretch after the start of the trace: 12.5ms, 2s");
  app.add_option("--span", options->span, "length of the shown stretch: 300us, 40ms");
  const auto picture_only = [&](CLI::Option* option) { option->needs(const_cast<CLI::Option*>(picture)); };
  picture_only(app.add_option("--size", options->size, "pixels of the picture")->capture_default_str());
  app.add_option("--finding", options->finding, "show the evidence of the finding of that number")
      ->check(CLI::Range(1, 999));
  picture_only(app.add_option("--lanes", options->lanes, "show only lanes whose labels hold these words"));
  picture_only(app.add_flag("--force", options->force, "overwrite the picture"));
  app.add_option("--theme", options->theme, "dark or light; else dark, and in the window as it was left")
      ->check(CLI::IsMember({"dark", "light"}));
  app.add_option("--scale", options->scale, "size of text and lanes, 1 to 2; else 1, and in the window as it was left")
      ->check(CLI::Range(1.0, 2.0));
  app.footer(
      "Examples:\n"
      "  gputrace view trace1.sqlite\n"
      "  gputrace view before.sqlite after.sqlite\n"
      "  gputrace view trace1.sqlite --screenshot step.png --at 1.2s --span 40ms --theme light");
  app.callback([options, &exit_status] {
    const auto done = options->picture.empty() ? open_window(*options) : take_screenshot(*options);
    if (!done) exit_status = report_error(done.error());
  });
}

}  // namespace

extern const Command view{"view", "Show the timeline, in a window or as a picture", add};

}  // namespace gputrace::cli
