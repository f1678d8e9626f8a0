// The size of CUPTI's activity records, which carry none: a walker steps by the kind.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cupti.h>

namespace trainer::virtual_box {

// Bytes of the newest struct of this kind, in the headers this is built with; 0 where libcupti 13 has no record of the kind.
std::size_t record_size(CUpti_ActivityKind kind);

// As cuptiActivityGetNextRecord: *record is the record before, or nullptr for the first.
CUptiResult next_record(std::uint8_t* buffer, std::size_t valid_bytes, CUpti_Activity** record);

}  // namespace trainer::virtual_box
