import { join } from "node:path";
import type { Home } from "./home.ts";

/** What the embedded PostgreSQL keeps in the data folder. */
export const postgresFiles = (dataDir: string) => ({
  lock: join(dataDir, "lock"),
  password: join(dataDir, "postgres-password"),
  port: join(dataDir, "postgres-port"),
  log: join(dataDir, "postgres.log"),
});

export const clusterFolder = (home: Home): string => join(home.folder, "postgres");
