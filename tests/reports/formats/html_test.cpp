#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include <catch2/catch.hpp>

#include "reports/format.h"
#include "analyzer/charts/step_picture.h"
#include "reports/html_template.h"
#include "tests/reports/diagnosis_samples.h"
#include "tests/support/golden.h"

using namespace gputrace;
using namespace gputrace::reports;
using Catch::Matchers::Contains;

namespace {

std::string render(const analyzer::Diagnosis& diagnosis) { return find_format("html")->render(diagnosis, {}); }

std::size_t occurrences(const std::string& text, const std::string& of) {
  std::size_t n = 0;
  for (std::size_t at = text.find(of); at != std::string::npos; at = text.find(of, at + 1)) ++n;
  return n;
}

// Everything that a browser would run if it were not escaped leaves this mark on the page.
analyzer::Diagnosis with_scripts() {
  const std::string mark = "document.documentElement.dataset.broken='1'";
  const std::string text = "</title></script><script>" + mark + "</script><img src=x onerror=\"" + mark +
                           "\">' onmouseover='" + mark + "' \" autofocus onfocus=\"" + mark + "\" {{file}} {{{why}}}";
  auto d = tests::cpu_placed_ops();
  d.file = d.machine = d.producer = d.incomplete_why = text;
  d.not_captured = {text};
  for (auto& device : d.devices) device.name = text, device.parts.push_back({text, 1});
  for (auto& kernel : d.kernels) kernel.name = kernel.label = kernel.explained = kernel.op_class = text;
  for (auto& copy : d.copies) copy.direction = copy.memory = copy.link_source = text;
  for (auto& lane : d.charts.step.lanes) {
    lane.name = text;
    for (auto& span : lane.spans) span.text = span.op_class = text;
  }
  for (auto& link : d.charts.traffic) link.from = link.to = link.link_source = text;
  for (auto& size : d.charts.copy_sizes) size.direction = size.memory = text;
  for (auto& finding : d.findings) {
    finding.rule = finding.title = finding.why = finding.remedy = finding.explained_by = text;
    finding.advice = {text};
    for (auto& evidence : finding.evidence) evidence.text = text;
  }
  return d;
}

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> buffer{};
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), n);
  pclose(pipe);
  return out;
}

// The page's document after its script ran, and what the browser's console said.
struct Opened {
  std::string document, console;
};

Opened open_in_chromium(const std::string& page) {
  std::string folder = (std::filesystem::temp_directory_path() / "gputrace_html_XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  std::ofstream(folder + "/page.html") << page;
  Opened opened;
  opened.document = output_of("timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir=" +
                              folder + "/profile --dump-dom file://" + folder + "/page.html 2>" + folder + "/log");
  opened.console = output_of("grep CONSOLE " + folder + "/log");
  std::filesystem::remove_all(folder);
  return opened;
}

double luminance(const std::string& color) {  // WCAG 2.2, relative luminance
  const auto channel = [&color](std::size_t at) {
    const double value = std::stoi(color.substr(at, 2), nullptr, 16) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

double contrast(const std::string& a, const std::string& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

std::string variable(const std::string& theme, const std::string& name) {
  std::smatch found;
  REQUIRE(std::regex_search(theme, found, std::regex("--" + name + ": (#[0-9a-f]{6});")));
  return found[1];
}

}  // namespace

TEST_CASE("the whole HTML report is as before") {
  CHECK(tests::differs_from_golden("report_cpu_placed_ops.html", render(tests::cpu_placed_ops())) == "");
}

TEST_CASE("the verdict stands first, the page needs nothing from elsewhere") {
  const std::string page = render(tests::cpu_placed_ops());
  CHECK(page.find("class=\"verdict\">Six matmul ops") < page.find("<h2>"));
  CHECK(page.find("simulated: times are modelled") < page.find("class=\"verdict\""));
  CHECK(page.find("http:") == std::string::npos);
  CHECK(page.find("https:") == std::string::npos);
  CHECK(page.find("@import") == std::string::npos);
  CHECK(page.find("{{") == std::string::npos);
}

TEST_CASE("an empty trace has a page without empty charts") {
  const std::string page = render(tests::empty_trace());
  CHECK_THAT(page, Contains("The trace holds no work on a GPU"));
  CHECK(page.find("<svg") == std::string::npos);
  CHECK(occurrences(page, "<table") == 1);  // of the limits
  CHECK_THAT(page, Contains("Not captured in this recording") && Contains("<li>kernels</li>"));
}

TEST_CASE("names from the trace are text") {
  for (const auto& diagnosis : {with_scripts(), tests::hostile_names()}) {
    const std::string page = render(diagnosis);
    CHECK(occurrences(page, "<script") == 1);
    CHECK(occurrences(page, "</script") == 1);
    CHECK(occurrences(page, "<img") == 0);
    CHECK(occurrences(page, "onerror=\"") == 0);
    CHECK(occurrences(page, "onfocus=\"") == 0);
    CHECK(occurrences(page, "\x1b") == 0);
  }
}

TEST_CASE("a browser runs no name, and its console stays empty") {
  if (std::system("command -v chromium >/dev/null 2>&1") != 0) {
    WARN("skipped: chromium is not installed");
    return;
  }
  const Opened opened = open_in_chromium(render(with_scripts()));
  CHECK_THAT(opened.document, Contains("data-ready=\"1\""));  // the page's own script ran to its end
  CHECK(opened.document.find("data-broken") == std::string::npos);
  CHECK(opened.console == "");
}

TEST_CASE("the picture shows each lane's spans, frames the evidence that lies in it, and says what is drawn as one") {
  const std::string page = render(tests::cpu_placed_ops());
  CHECK_THAT(page, Contains("One step as it ran: step 1, 4.88 s"));
  CHECK_THAT(page, Contains("class=\"k-host thin\"") && Contains("matmul_0, device = /cpu:0 · 1.99 s · at 10.0 ms"));
  CHECK_THAT(page, Contains("12 events, 70.0 ms of 90.0 ms · at 4.71 s · the longest is cublas: sgemm 128x128"));
  CHECK_THAT(page, Contains("GPU 1</span>"));  // has nothing to draw, and is there
  CHECK(occurrences(page, "class=\"mark ") == 0);
  auto with_evidence = tests::cpu_placed_ops();
  with_evidence.findings[0].evidence[1].span = {4'885'000'000 + 1'000'000'000, 4'885'000'000 + 2'000'000'000};
  const std::string marked = render(with_evidence);
  CHECK(occurrences(marked, "class=\"mark critical\"") == 1);
  CHECK_THAT(marked, Contains("data-from=\"204.708\" data-to=\"409.417\""));
}

TEST_CASE("kernels beyond those shown are one row that sums them") {
  auto diagnosis = tests::cpu_placed_ops();
  const auto kernel = diagnosis.kernels[1];
  diagnosis.kernels.assign(200, kernel);
  CHECK(render(diagnosis).find("<tfoot>") == std::string::npos);
  diagnosis.kernels.assign(203, kernel);
  CHECK_THAT(render(diagnosis), Contains("3 more kernels together") && Contains("<td>1.20 s</td><td>180</td>"));
}

TEST_CASE("links are a table of pairs: what was copied, how fast, and what is there but not used") {
  const std::string page = render(tests::cpu_placed_ops());
  CHECK_THAT(page, Contains("<th>to host</th>") && Contains("from GPU 0</th>") && Contains("13.6 GB"));
  CHECK_THAT(page, Contains("no copies") && Contains("link: 25.0 GB/s"));
}

TEST_CASE("advice for a framework stands beside its name, what is for all before it") {
  auto diagnosis = tests::cpu_placed_ops();
  diagnosis.findings[0].advice = {"Look first: then act", "PyTorch: model.to('cuda')", "CUDA: cudaMemcpyAsync(...)"};
  const std::string page = render(diagnosis);
  CHECK_THAT(page, Contains("<li>Look first: then act</li>"));
  CHECK_THAT(page, Contains("<dt>PyTorch</dt><dd>model.to(&apos;cuda&apos;)</dd><dt>CUDA</dt><dd>cudaMemcpyAsync(...)</dd>"));
  diagnosis.findings[0].advice.clear();
  CHECK_THAT(render(diagnosis), !Contains("<dt>PyTorch</dt>"));
}

TEST_CASE("the page stays small whatever the trace holds") {
  auto diagnosis = tests::hostile_names();
  const auto kernel = diagnosis.kernels[0];
  diagnosis.kernels.assign(10'000, kernel);
  for (auto& each : diagnosis.kernels) each.name = each.label = each.explained = std::string(65'536, '"');
  for (int i = 0; i < 100'000; ++i) diagnosis.steps.spans.push_back({i * 1'000'000L, i * 1'000'000L + 900'000});
  diagnosis.diagnostics.assign(10'000, {std::string(1000, '<'), 1});
  analyzer::LaneSpan span{{0, 1'000}, 12'345, 1'000, std::string(65'536, '"'), "matmul"};
  auto& lanes = diagnosis.charts.step.lanes;
  lanes[1].spans.assign(analyzer::kMostLaneSpans, span);
  CHECK(render(diagnosis).size() < 8'000'000);  // names of nothing but quotation marks, each of which takes six characters
}

TEST_CASE("the page of a trace of ten million events is below 2 MB: its kernels, its steps and its picture are bounded") {
  auto diagnosis = tests::cpu_placed_ops();
  const auto kernel = diagnosis.kernels[0];
  diagnosis.kernels.assign(10'000, kernel);
  for (auto& each : diagnosis.kernels) {
    each.name = std::string(2'000, 'n');
    each.explained = std::string(1'000, 'e');
  }
  for (int i = 0; i < 100'000; ++i) diagnosis.steps.spans.push_back({i * 1'000'000L, i * 1'000'000L + 900'000});
  const analyzer::LaneSpan span{{5'000'000'000, 5'000'123'456}, 12'345, 98'765, "at::native::vectorized_elementwise", "element-wise"};
  diagnosis.charts.step.lanes[1].spans.assign(analyzer::kMostLaneSpans, span);
  CHECK(render(diagnosis).size() < 2'000'000);
}

TEST_CASE("text has a contrast of at least 4.5 in both themes, and what charts draw one of 3") {
  const std::string style = page_style();
  const std::size_t dark = style.find("prefers-color-scheme: dark");
  REQUIRE(dark != std::string::npos);
  for (const std::string& theme : {style.substr(0, dark), style.substr(dark)}) {
    for (const char* background : {"page", "panel"}) {
      for (const char* text : {"text", "quiet", "accent", "critical", "warning", "info"}) {
        INFO(text << " on " << background);
        CHECK(contrast(variable(theme, text), variable(theme, background)) >= 4.5);
      }
      for (const char* drawn : {"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"}) {
        INFO(drawn << " on " << background);
        CHECK(contrast(variable(theme, drawn), variable(theme, background)) >= 3);
      }
    }
  }
}

TEST_CASE("text has only colours that the contrast is checked of") {
  const std::string style = page_style();
  const std::regex color("[;{ ]color: ([^;}]+)");
  std::size_t found = 0;
  for (auto at = std::sregex_iterator(style.begin(), style.end(), color); at != std::sregex_iterator(); ++at, ++found) {
    const std::string used = (*at)[1];
    INFO(used);
    // --page is the text on a filled label of a severity, the same pair the other way round
    CHECK((used == "var(--text)" || used == "var(--quiet)" || used == "var(--accent)" || used == "var(--critical)" ||
           used == "var(--warning)" || used == "var(--info)" || used == "var(--page)"));
  }
  CHECK(found > 10);
}

TEST_CASE("whatever scrolls or opens can be reached with the keyboard") {
  const std::string page = render(tests::cpu_placed_ops());
  CHECK(occurrences(page, "class=\"scroll\"") == occurrences(page, "class=\"scroll\" tabindex=\"0\""));
  CHECK(occurrences(page, "<pre") == occurrences(page, "<pre tabindex=\"0\""));
  CHECK(occurrences(page, "<svg tabindex=\"0\"") == 2);
  CHECK_THAT(std::string(page_style()), Contains(":focus-visible"));
}
