// libpq, PostgreSQL's client library. Macros that are characters are not imported into Swift, so they get a plain form.
#pragma once
#include <libpq-fe.h>
#include <sys/eventfd.h>

/// The fields of an error, for PQresultErrorField.
static const int latchkey_pg_diag_sqlstate = PG_DIAG_SQLSTATE;
static const int latchkey_pg_diag_message = PG_DIAG_MESSAGE_PRIMARY;
static const int latchkey_pg_diag_constraint = PG_DIAG_CONSTRAINT_NAME;
static const int latchkey_pg_diag_table = PG_DIAG_TABLE_NAME;
