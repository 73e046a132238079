// SQLite, the embedded store.
#pragma once
#include <sqlite3.h>
