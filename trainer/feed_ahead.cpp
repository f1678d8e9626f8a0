#include "trainer/feed_ahead.h"

namespace trainer {

FeedAhead::FeedAhead(Backend& backend, int device)
    : backend_(backend), copies_(backend.create_stream(device)), arrived_(backend.create_event(device)), taken_(backend.create_event(device)) {}

void FeedAhead::copy_next() {
  for (const Fed& fed : fed_) backend_.copy_async(fed.staging, fed.from->buffer, fed.from->shape.size_bytes(), copies_);
  backend_.record(arrived_, copies_);
}

void FeedAhead::feed(Stream stream) {
  backend_.wait(stream, arrived_);
  for (const Fed& fed : fed_) backend_.copy_async(fed.to->buffer, fed.staging, fed.from->shape.size_bytes(), stream);
  backend_.record(taken_, stream);
  backend_.wait(copies_, taken_);
  copy_next();
}

}  // namespace trainer
