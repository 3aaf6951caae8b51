// A stand-in for libcupti.so.13 that somebody else holds when FAKE_CUPTI_HOLDER is set, by the name in it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

struct SubscriberParams {
  std::size_t struct_size;
  const char* subscriber_name;
  char* old_subscriber_name;
  std::size_t old_subscriber_size;
};

// NOLINTBEGIN(readability-identifier-naming): the names are those of CUPTI
extern "C" {

int cuptiGetVersion(std::uint32_t* version) {
  *version = 130001;
  return 0;
}
int cuptiSubscribe_v2(void** subscriber, void (*)(void*, int, unsigned, const void*), void*,
                      SubscriberParams* params) {
  const char* holder = std::getenv("FAKE_CUPTI_HOLDER");
  if (params->struct_size != sizeof *params) return 1;
  if (holder == nullptr) {
    *subscriber = params;
    return 0;
  }
  std::strncpy(params->old_subscriber_name, holder, params->old_subscriber_size);
  return 39;
}
int cuptiUnsubscribe(void* subscriber) {
  return subscriber != nullptr ? 0 : 1;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
