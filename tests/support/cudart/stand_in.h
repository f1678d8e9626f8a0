// A libcudart.so.13 that has as many devices as a test wants, writes down what a program asks of them, and computes nothing. A program
// that was linked with the shared runtime (nvcc -cudart shared) runs on it unchanged. Memory of its devices cannot be read or written
// by the host: a program that does so ends with SIGSEGV.
//
// What only a wrong program does is kept apart, as violations: a launch on a stream of a device that is not the calling thread's, a
// grid beyond CUDA's limits, a copy beyond an allocation or of another kind than its pointers, memory freed twice.
#pragma once

#include <string>
#include <vector>

namespace cudart_stand_in {

struct Call {
  int stream;        // numbered from 1 as they were created; 0: a default stream; -1: the call has none
  int device;        // of the stream, or the calling thread's
  std::string text;  // "launch NAME", "copy pinned device 0 64", "fill 64", "record 1", "wait 1", "synchronize stream", "allocate 64" ...
};

void reset(int devices);  // forgets everything but the kernels
std::vector<Call> take_calls();
std::vector<std::string> take_violations();

// The number-th call (from 1, from now on) of that function answers with this cudaError_t. A failed launch is what
// cudaGetLastError answers next.
void fail(const std::string& function, int number, int error);

// Writes down a call of another library that a test stands in for: "launch sgemm".
void note(void* stream, const std::string& text);

}  // namespace cudart_stand_in
