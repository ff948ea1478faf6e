import type { Sql } from "../db/connect.ts";
import { ConfigurationError } from "./configuration-error.ts";

/** The oldest PostgreSQL that the statements work with. */
const oldestMajor = 14;

/** Throws `ConfigurationError` with one line when the database behind DATABASE_URL cannot be used, and says why. */
export async function requireDatabase(sql: Sql): Promise<void> {
  const version = await readVersion(sql);
  if (version < oldestMajor) {
    throw new ConfigurationError([`DATABASE_URL names a PostgreSQL ${version}: version ${oldestMajor} or newer is needed`]);
  }
}

async function readVersion(sql: Sql): Promise<number> {
  try {
    const [row] = await sql<{ major: number }[]>`select current_setting('server_version_num')::integer / 10000 as major`;
    return row?.major ?? 0;
  } catch (error) {
    throw new ConfigurationError(
      [`DATABASE_URL names a database that cannot be reached (${reason(error)}): start it or correct the address`],
      {
        cause: error,
      },
    );
  }
}

/** The error's message or code; neither holds the password. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return error.message === "" || error.message.includes("\n") ? code || error.name : error.message;
}

/** Throws `ConfigurationError` with one line when this process's key decrypts none of `secrets`, some stored ones. One that is damaged stops its own site only. */
export function requireMasterKey(vault: { decrypt(record: string): string }, secrets: readonly string[]): void {
  let cause: unknown;
  for (const secret of secrets) {
    try {
      vault.decrypt(secret);
      return;
    } catch (error) {
      cause = error;
    }
  }
  if (secrets.length > 0) {
    throw new ConfigurationError(["MASTER_KEY is not the one that this database's secrets were stored with: start with that one"], {
      cause,
    });
  }
}
