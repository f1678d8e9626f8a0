// The one way a failure travels: a value, or an Error that says what, where, and the next step.
#pragma once

#include <string>

#include <tl/expected.hpp>

namespace gputrace {

struct Error {
  std::string what;       // "not a trace: no table that gputrace knows"
  std::string where;      // the file, rank or option it is about; may be empty
  std::string next_step;  // what the user can do; may be empty

  // One line: "WHERE: WHAT; NEXT STEP".
  std::string line() const {
    std::string text = where.empty() ? what : where + ": " + what;
    return next_step.empty() ? text : text + "; " + next_step;
  }
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string what, std::string where = {}, std::string next_step = {}) {
  return tl::unexpected<Error>(Error{std::move(what), std::move(where), std::move(next_step)});
}

}  // namespace gputrace
