import { runMain } from "shared/server/process";
import { readMigrateConfig } from "./config.ts";
import { ownerOf, prepareDatabase } from "./database.ts";

await runMain("npm run migrate: brings the database of DATABASE_URL to this version", async () => {
  const { databaseUrl, migrateDatabaseUrl } = readMigrateConfig();
  const { applied } = await prepareDatabase(ownerOf(databaseUrl, migrateDatabaseUrl));
  console.log(applied.length === 0 ? "The database is up to date." : applied.map((name) => `applied ${name}`).join("\n"));
});
