// This process's end of the capture switch: a thread that waits for it and opens and closes the capture window.
#pragma once

namespace gputrace::guest {

class Session;

// Where the switch can not be read a note says so. There, and where no thread could be started, the window never opens.
void follow_capture_switch(Session& session) noexcept;

}  // namespace gputrace::guest
