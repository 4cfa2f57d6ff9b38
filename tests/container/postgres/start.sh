#!/bin/sh
# Make the database on the first start, then serve it: user, password and database are "ragate".
set -eu

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf 'ragate\n' >/tmp/password
  initdb --username ragate --pwfile /tmp/password --auth scram-sha-256 --encoding UTF8 \
    --locale C --no-sync >/dev/null
  rm /tmp/password
  printf 'host all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
  # Only through the local socket while the database is made: nobody meets a server without it.
  pg_ctl --silent --wait --options "-c listen_addresses='' -k /tmp" start >/dev/null
  PGPASSWORD=ragate createdb --host /tmp --username ragate ragate
  pg_ctl --silent --wait stop
fi
# The data live as long as a test does.
exec postgres -k /tmp -c listen_addresses='*' -c fsync=off -c full_page_writes=off
