// libunistring: Unicode normalisation and case folding.
#pragma once
#include <uninorm.h>
#include <unicase.h>
