import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "shared/db/connect";
import { migrate } from "shared/db/migrate";
import { startPostgres } from "shared/postgres/start";
import type { TestDatabase } from "../../support/database/test-database.ts";

/** A migrated PostgreSQL of its own in a temporary folder, outside any test run; removed when disposed. */
export async function ownDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "tidings-screenshots-"));
  const postgres = await startPostgres({ dataDir: folder, durable: false });
  const sql = connect(postgres.url, { max: 10, applicationName: "screenshots" });
  await migrate(sql);
  return {
    url: postgres.url,
    sql,
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 5 });
      await postgres[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
