/**
 * What differs from PostgreSQL's own defaults. `durable` false is for tests alone: a crash of the machine may lose everything, and statements are counted, with nothing in
 * the background that would count too. */
export const postgresSettings = (durable: boolean): string[] => [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "max_connections=200",
  "log_checkpoints=off",
  "timezone=UTC",
  "log_timezone=UTC",
  ...(durable
    ? []
    : ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off", "shared_preload_libraries=pg_stat_statements"]),
];
