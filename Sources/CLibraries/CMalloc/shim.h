// The settings of glibc's allocator, which Swift's module of the C library leaves out.
#pragma once
#include <malloc.h>
