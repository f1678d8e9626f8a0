#include "trainer/stream_assignment.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace trainer;

namespace {

Op op(std::vector<Tensor*> inputs, std::vector<Tensor*> outputs) {
  Op made;
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  return made;
}

// Whether `later` begins after `earlier` has ended, by stream order and waits.
bool ordered(const std::vector<StreamSlot>& slots, std::size_t earlier, std::size_t later) {
  std::vector<bool> after(slots.size(), false);  // earlier is done when this op begins
  after[earlier] = true;
  for (std::size_t i = earlier + 1; i <= later; ++i) {
    for (std::size_t before = earlier; before < i; ++before) {
      const bool waited = std::count(slots[i].waits_for.begin(), slots[i].waits_for.end(), before) > 0;
      if (after[before] && (slots[before].stream == slots[i].stream || waited)) after[i] = true;
    }
  }
  return after[later];
}

}  // namespace

TEST_CASE("one stream takes every op and nothing waits") {
  Tensor a, b, c;
  const auto slots = assign_streams({op({&a}, {&b}), op({&a}, {&c}), op({&b, &c}, {&a})}, 1);
  for (const StreamSlot& slot : slots) {
    CHECK(slot.stream == 0);
    CHECK(slot.waits_for.empty());
    CHECK_FALSE(slot.is_waited_for);
  }
}

TEST_CASE("a chain stays in one stream") {
  Tensor a, b, c, d;
  const auto slots = assign_streams({op({&a}, {&b}), op({&b}, {&c}), op({&c}, {&d})}, 2);
  CHECK(slots[1].stream == slots[0].stream);
  CHECK(slots[2].stream == slots[0].stream);
}

TEST_CASE("two branches run side by side, and what joins them waits") {
  Tensor a, b, c, d;
  const auto slots = assign_streams({op({}, {&a}), op({&a}, {&b}), op({&a}, {&c}), op({&b, &c}, {&d})}, 2);
  CHECK(slots[1].stream != slots[2].stream);
  CHECK(slots[2].waits_for == std::vector<std::size_t>{0});
  CHECK(slots[0].is_waited_for);
  CHECK(slots[3].waits_for == std::vector<std::size_t>{1});
  CHECK(slots[3].stream == slots[2].stream);
}

TEST_CASE("an op that writes waits for those that still read") {
  Tensor a, b, c, d;
  const auto slots = assign_streams({op({}, {&a}), op({&a}, {&b}), op({&a}, {&c}), op({&d}, {&a})}, 3);
  CHECK(ordered(slots, 1, 3));
  CHECK(ordered(slots, 2, 3));
}

TEST_CASE("every dependency is kept, on any number of streams") {
  std::mt19937 random(7);
  std::vector<Tensor> tensors(12);
  const auto any = [&] { return &tensors[random() % tensors.size()]; };
  for (int repeat = 0; repeat < 30; ++repeat) {
    std::vector<Op> ops;
    for (int i = 0; i < 25; ++i) ops.push_back(op({any(), any()}, {any()}));
    const auto slots = assign_streams(ops, 1 + repeat % 5);
    for (std::size_t later = 1; later < ops.size(); ++later) {
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        const auto touches = [](const std::vector<Tensor*>& list, const Tensor* tensor) {
          return std::find(list.begin(), list.end(), tensor) != list.end();
        };
        const Tensor* written = ops[later].outputs.front();
        const bool depends = touches(ops[later].inputs, ops[earlier].outputs.front()) || touches(ops[earlier].inputs, written) ||
                             ops[earlier].outputs.front() == written;
        if (depends) CHECK(ordered(slots, earlier, later));
      }
    }
  }
}
