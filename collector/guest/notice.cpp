#include "collector/guest/notice.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "collector/spool_layout.h"

namespace gputrace::guest {

void give_notice(const std::string& socket_name, int error) noexcept {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_name.empty() || socket_name.size() + 1 > sizeof address.sun_path) return;
  std::memcpy(address.sun_path + 1, socket_name.data(), socket_name.size());
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return;
  const spool::Notice notice{getpid(), error};
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + socket_name.size());
  sendto(descriptor, &notice, sizeof notice, MSG_DONTWAIT | MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), bytes);
  close(descriptor);
}

}  // namespace gputrace::guest
