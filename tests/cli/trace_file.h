// A folder that a test owns, and a small trace file in it.
#pragma once

#include <filesystem>
#include <string>

namespace gputrace::tests {

class TestFolder {
 public:
  TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder();

  std::filesystem::path file(const std::string& name) const { return path_ / name; }
  std::string text_of(const std::string& name) const;
  void write(const std::string& name, const std::string& text) const;
  // Two kernels of 10 ms and one copy on GPU 0; tables in the manner of Nsight Systems.
  std::string write_trace(const std::string& name) const;
  std::size_t file_count() const;

 private:
  std::filesystem::path path_;
};

}  // namespace gputrace::tests
