extern "C" int helper_rounds(int n) {
  return n > 1000 ? 3 : 2;
}
