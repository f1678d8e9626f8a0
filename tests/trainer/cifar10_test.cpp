#include "trainer/cifar10.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "recorded_run.h"

using namespace trainer;

namespace {

// Five files of `records` each; record i of file f has label (f + i) % 10 and pixels of that many times 20.
class SmallSet {
 public:
  explicit SmallSet(int records = 4) {
    folder_ = std::filesystem::temp_directory_path() / ("trainer_cifar10_test_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    for (int file = 1; file <= 5; ++file) {
      std::string bytes;
      for (int i = 0; i < records; ++i) {
        const int label = (file + i) % 10;
        bytes += static_cast<char>(label);
        bytes += std::string(3072, static_cast<char>(label * 20));
      }
      write(file, bytes);
    }
  }
  ~SmallSet() { std::filesystem::remove_all(folder_); }
  void write(int file, const std::string& bytes) const { std::ofstream(path(file), std::ios::binary) << bytes; }
  std::filesystem::path path(int file) const { return folder_ / ("data_batch_" + std::to_string(file) + ".bin"); }
  std::string folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace

TEST_CASE("records of all five files come in order") {
  const SmallSet files;
  const auto data = Cifar10::read(files.folder());
  REQUIRE(data);
  CHECK(data->size() == 20);
  CHECK(data->label(0) == 1);
  CHECK(data->label(19) == 8);
  std::vector<float> pixels(3072);
  data->copy_pixels(0, pixels.data());
  CHECK(pixels.front() == (20.0F - 128) / 64);
}

TEST_CASE("planes of a record become the channels of its pixels") {
  const SmallSet files;
  std::string record(3073, 0);
  record[1] = 1, record[1 + 1024] = 2, record[1 + 2048] = 3, record[2] = 4;
  files.write(1, record);
  const auto data = Cifar10::read(files.folder());
  REQUIRE(data);
  std::vector<float> pixels(3072);
  data->copy_pixels(0, pixels.data());
  for (int i = 0; i < 4; ++i) CHECK(pixels[static_cast<std::size_t>(i)] == (static_cast<float>(i + 1) - 128) / 64);
}

TEST_CASE("what is wrong with the files is said with the file's name") {
  const SmallSet files;
  const auto error = [&] {
    const auto data = Cifar10::read(files.folder());
    REQUIRE_FALSE(data);
    return data.error();
  };
  files.write(2, std::string(3072, 1));
  CHECK(error() == files.path(2).string() + ": ends within record 0; fetch the file again");
  files.write(2, std::string(3074, 1));
  CHECK(error() == files.path(2).string() + ": ends within record 1; fetch the file again");
  files.write(2, "");
  CHECK(error() == files.path(2).string() + ": holds no records; fetch the file again");
  files.write(2, std::string(3073, 10));
  CHECK(error().find("record 0 has label 10, above 9") != std::string::npos);
  files.write(2, std::string(3073, 9));
  CHECK(Cifar10::read(files.folder()));
  std::filesystem::remove(files.path(5));
  CHECK(error().starts_with(files.path(5).string() + ": cannot be read; "));
}

TEST_CASE("a network learns real images, the same in both layouts") {
  const SmallSet files;
  const std::string data = "cifar10:" + files.folder();
  const auto losses = [&](std::vector<const char*> more) {
    std::vector<const char*> arguments = {"--gpus", "2", "--batch", "5", "--steps", "6", "--arithmetic", "on", "--data", data.c_str()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return test::recorded_run(arguments)->summary.losses;
  };
  const std::vector<float> nhwc = losses({});
  CHECK(nhwc.back() < 0.8F * nhwc.front());
  const std::vector<float> nchw = losses({"--layout", "nchw", "--batch-norm", "fused"});
  CHECK(nchw.front() == Approx(nhwc.front()).epsilon(1e-3));
}
