// How fast the links ran against what they could do, for the formats that show tables. Plain text: formats escape it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/diagnosis.h"

namespace gputrace::reports {

struct LinkRow {
  std::string copy;     // "GPU 0, host to device, pinned"
  std::string size;     // "1 to 16 MiB"
  std::string rate;     // "10.2 of 15.8 GB/s", the second being the link's
  std::string exposed;  // share of the copies' time without a kernel
  std::string beside;   // share of the copies' time while another GPU copied the same way
};

// Of copies that take at least thresholds::kInfoShare of the window, the most time first, at most `most`.
std::vector<LinkRow> link_rows(const analyzer::Diagnosis& diagnosis, std::size_t most);

// Where "possible" is from, shared uplinks, links between GPUs, slow links; empty where there is nothing to say.
std::vector<std::string> link_sentences(const analyzer::Diagnosis& diagnosis);

}  // namespace gputrace::reports
