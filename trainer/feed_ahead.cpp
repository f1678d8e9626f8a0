#include "trainer/feed_ahead.h"

namespace trainer {

FeedAhead::FeedAhead(Backend& backend, int device)
    : backend_(backend), copies_(backend.create_stream(device)), arrived_(backend.create_event(device)), may_come_(backend.create_event(device)) {}

void FeedAhead::copy_next() {
  for (const Fed& fed : fed_) backend_.copy_async(fed.staging, fed.from->buffer, fed.from->shape.size_bytes(), copies_);
  backend_.record(arrived_, copies_);
}

void FeedAhead::feed(Stream stream) {
  backend_.wait(stream, arrived_);
  for (const Fed& fed : fed_) backend_.copy_async(fed.to->buffer, fed.staging, fed.from->shape.size_bytes(), stream);
}

void FeedAhead::let_next_come(Stream stream) {
  backend_.record(may_come_, stream);
  backend_.wait(copies_, may_come_);
}

}  // namespace trainer
