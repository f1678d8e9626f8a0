#include "gui/rasterizer.h"

#include <imgui.h>
#include <imgui_internal.h>  // ImDrawListSharedData: a draw list without a context

#include <catch2/catch.hpp>

namespace gputrace::gui {
namespace {

constexpr std::uint32_t kWhite = 0xFFFFFFFF, kRed = 0xFF0000FF, kBlack = 0xFF000000;

// Draws with a white texture of one pixel into a picture of 8 x 8.
class Sheet {
 public:
  Sheet() : shared_{}, list_{&shared_} {
    list_._ResetForNewFrame();
    list_.PushClipRect({0, 0}, {8, 8});
    list_.PushTextureID(nullptr);
    list_.Flags = ImDrawListFlags_None;  // no anti-aliasing: pixels are full or empty
  }
  ImDrawList& list() { return list_; }
  Image picture() {
    ImDrawList* lists[] = {&list_};
    ImDrawData data;
    data.CmdLists = lists;
    data.CmdListsCount = 1;
    data.DisplaySize = {8, 8};
    const std::uint8_t white[4] = {255, 255, 255, 255};
    return rasterize(data, Atlas{white, 1, 1}, kBlack);
  }

 private:
  ImDrawListSharedData shared_;
  ImDrawList list_;
};

int lit(const Image& image) {
  int count = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) count += image.pixel(x, y)[0] > 0;
  return count;
}

TEST_CASE("A rectangle fills the pixels whose centres it covers") {
  Sheet sheet;
  sheet.list().AddRectFilled({1, 2}, {4, 4}, kWhite);
  const Image image = sheet.picture();
  CHECK(lit(image) == 6);
  CHECK(image.pixel(1, 2)[0] == 255);
  CHECK(image.pixel(4, 2)[0] == 0);
}

TEST_CASE("Half transparent over black is half as bright") {
  Sheet sheet;
  sheet.list().AddRectFilled({0, 0}, {8, 8}, 0x800000FF);
  const Image image = sheet.picture();
  CHECK(int{image.pixel(3, 3)[0]} == Approx(128).margin(1));
  CHECK(image.pixel(3, 3)[1] == 0);
  CHECK(image.pixel(3, 3)[3] == 255);
}

TEST_CASE("Two triangles that share an edge leave no seam and draw no pixel twice") {
  Sheet sheet;
  sheet.list().AddTriangleFilled({0, 0}, {8, 0}, {8, 8}, 0x800000FF);
  sheet.list().AddTriangleFilled({0, 0}, {8, 8}, {0, 8}, 0x800000FF);
  const Image image = sheet.picture();
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) REQUIRE(int{image.pixel(x, y)[0]} == Approx(128).margin(1));
}

TEST_CASE("Nothing is drawn outside the clip rectangle or the picture") {
  Sheet sheet;
  sheet.list().PushClipRect({2, 2}, {4, 4}, true);
  sheet.list().AddRectFilled({-100, -100}, {1e9F, 100}, kRed);
  sheet.list().AddTriangleFilled({-50, -50}, {60, 0}, {0, 60}, kRed);
  CHECK(lit(sheet.picture()) == 4);
}

}  // namespace
}  // namespace gputrace::gui
