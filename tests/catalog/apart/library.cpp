int apart_library_value() {
  return 1;
}
