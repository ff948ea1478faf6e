import { join } from "node:path";

/** The cluster's name in its folder. */
export const CLUSTER = "postgres";

/** What the embedded PostgreSQL keeps in the data folder. */
export const postgresFiles = (dataDir: string) => ({
  lock: join(dataDir, "lock"),
  password: join(dataDir, "postgres-password"),
  port: join(dataDir, "postgres-port"),
  log: join(dataDir, "postgres.log"),
});

export const clusterFolder = (home: { readonly folder: string }): string => join(home.folder, CLUSTER);
