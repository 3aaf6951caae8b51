// Two roots, `first` and `second`, and what they reach. Each PLANT_... is another build of it.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#ifdef PLANT_moved
// Other functions and data in front, so that all addresses differ.
const char* const names[] = {"zero", "one", "two"};
extern "C" __attribute__((visibility("default"))) const char* front(int n) {
  return names[n % 3];
}
#endif

namespace {

const int table[] = {2, 3, 5,
#ifdef PLANT_table
                     8
#else
                     7
#endif
};

struct Shape {
  virtual ~Shape() = default;
  virtual int area(int n) const { return n; }
};
struct Square : Shape {
  int area(int n) const override {
#ifdef PLANT_virtual
    return n * n + 1;
#else
    return n * n;
#endif
  }
};

__attribute__((noinline)) int chosen(int n) {
  switch (n) {
    case 0: return std::puts("zero");
    case 1: return std::puts("one") + 1;
#ifdef PLANT_jump
    case 3: return std::puts("two") + 2;
    case 2: return std::puts("three") + 3;
#else
    case 2: return std::puts("two") + 2;
    case 3: return std::puts("three") + 3;
#endif
    case 4: return std::puts("four") + 4;
    case 5: return std::puts("five") + 5;
    case 6: return std::puts("six") + 6;
    default: return n;
  }
}

__attribute__((noinline)) int handled(const std::string& text) {
  try {
    return std::stoi(text);
#ifdef PLANT_catch
  } catch (const std::out_of_range&) {
#else
  } catch (const std::invalid_argument&) {
#endif
    return -1;
  }
}

#ifdef PLANT_string
const char* const greeting = "a text that is rather long, and ends otherwise";
#else
const char* const greeting = "a text that is rather long, and ends here....";
#endif

double factor() {
#ifdef PLANT_constant
  return 0.625;
#else
  return 0.5;
#endif
}

int state = 3;

}  // namespace

extern "C" __attribute__((visibility("default"))) int first(int n) {
  Shape* const shape = new Square;
  const int area = shape->area(n) + table[n % 4] + chosen(n) + handled(greeting);
  delete shape;
  return static_cast<int>(area * factor());
}

extern "C" __attribute__((visibility("default"))) int second(int n) {
#ifdef PLANT_other
  state += 2 * n;
#else
  state += n;
#endif
  return state + std::atoi("12");
}

extern "C" __attribute__((visibility("default"))) int third() {
  return state;
}
