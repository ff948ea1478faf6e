import { connect } from "shared/db/connect";
import { migrate } from "shared/db/migrate";
import { anyUserExists } from "shared/db/user";
import { requireDatabase } from "shared/server/startup";

/** Brings the database to the newest schema; answers the migrations it applied, and whether anybody can sign in already. */
export const prepareDatabase = async (url: string): Promise<{ applied: string[]; hasUsers: boolean }> => {
  const sql = connect(url, { max: 1, applicationName: "tidings-migrate" });
  try {
    await requireDatabase(sql);
    return { applied: await migrate(sql), hasUsers: await anyUserExists(sql) };
  } finally {
    await sql.end({ timeout: 5 });
  }
};
