import type { Sql } from "../db/statement.ts";
import { ConfigurationError } from "./configuration-error.ts";

/** The oldest PostgreSQL that the statements work with. */
const oldestMajor = 14;

/** Throws `ConfigurationError` with one line when the database behind the setting `name` cannot be used, and says why. */
export async function requireDatabase(sql: Sql, name = "DATABASE_URL"): Promise<void> {
  const version = await readVersion(sql, name);
  if (version < oldestMajor)
    throw new ConfigurationError([`${name} names a PostgreSQL ${version}: version ${oldestMajor} or newer is needed`]);
}

async function readVersion(sql: Sql, name: string): Promise<number> {
  try {
    const [row] = await sql<{ major: number }[]>`select current_setting('server_version_num')::integer / 10000 as major`;
    return row?.major ?? 0;
  } catch (error) {
    throw new ConfigurationError([`${name} names a database that cannot be reached (${reason(error)}): start it or correct the address`], {
      cause: error,
    });
  }
}

/** The error's message or code; neither holds the password. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return error.message === "" || error.message.includes("\n") ? code || error.name : error.message;
}
