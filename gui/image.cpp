#include "gui/image.h"

#include <stb_image_write.h>

namespace gputrace::gui {

Result<std::string> encode_png(const Image& image) {
  std::string png;
  const auto append = [](void* context, void* data, int size) {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data),
                                               static_cast<std::size_t>(size));
  };
  if (stbi_write_png_to_func(append, &png, image.width, image.height, 4, image.rgba.data(),
                             image.width * 4) == 0)
    return fail("cannot make the picture: not enough memory");
  return png;
}

}  // namespace gputrace::gui
