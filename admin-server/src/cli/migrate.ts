import { runMain } from "shared/server/process";
import { readDatabaseUrl } from "./config.ts";
import { prepareDatabase } from "./database.ts";

await runMain(async () => {
  const { applied } = await prepareDatabase(readDatabaseUrl());
  console.log(applied.length === 0 ? "The database is up to date." : applied.map((name) => `applied ${name}`).join("\n"));
});
