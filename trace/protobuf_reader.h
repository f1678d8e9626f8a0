// protozero's reader, for files that nobody vouches for: a field of another wire type than its format says is an exception like all
// else that is malformed. As protozero comes, it is an assert, and a misread in a build without asserts. Include this, never
// protozero/pbf_reader.hpp itself.
#pragma once

#include <protozero/exception.hpp>

#define protozero_assert(holds) ((holds) ? void() : throw protozero::unknown_pbf_wire_type_exception{})

#include <protozero/pbf_reader.hpp>
