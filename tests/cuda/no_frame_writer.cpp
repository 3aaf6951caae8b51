// Preloaded before a Python: as versions that do not export their writer of frames, it writes nothing.
extern "C" __attribute__((visibility("default"))) void _Py_DumpTraceback(int /*descriptor*/,
                                                                         void* /*thread*/) {}
