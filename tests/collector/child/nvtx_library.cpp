// NVTX behind two plain functions, for Python's ctypes.
#include <nvtx3/nvToolsExt.h>

extern "C" void push(const char* text) { nvtxRangePushA(text); }
extern "C" void pop() { nvtxRangePop(); }
