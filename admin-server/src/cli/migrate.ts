import { runMain } from "shared/server/process";
import { readDatabaseUrl, prepareDatabase } from "./config.ts";

await runMain(async () => {
  const { applied } = await prepareDatabase(readDatabaseUrl());
  console.log(applied.length === 0 ? "The database is up to date." : applied.map((name) => `applied ${name}`).join("\n"));
});
