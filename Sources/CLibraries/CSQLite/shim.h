// SQLite, the embedded store. Variadic functions are not imported into Swift, so the few that are needed get a plain form.
#pragma once
#include <sqlite3.h>

/// Turns SQLite's memory statistics on or off; they cost one global lock per allocation.
static inline int latchkey_sqlite3_config_memstatus(int on) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, on);
}

/// Sets one of the on/off options of a connection (`SQLITE_DBCONFIG_…`).
static inline int latchkey_sqlite3_db_config(sqlite3 *database, int option, int on) {
    return sqlite3_db_config(database, option, on, (int *)0);
}
