import { randomBytes } from "node:crypto";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { prepareDataFolder } from "shared/postgres/files";
import type { StartConfig } from "../config.ts";

/** A try-out that is to be set up: the demo owner's password, and what to do when that is done. */
export interface TryOut {
  readonly password: string;
  readonly finish: () => Promise<void>;
}

/**
 * The try-out of this start, null when it is none: that takes an empty or absent data folder and neither a database nor a platform of one's own.
 * A marker stays in the folder until the try-out has been printed, so that a start that was cut short is made up for.
 */
export const beginTryOut = async (config: StartConfig): Promise<TryOut | null> => {
  if (config.databaseUrl !== undefined || config.platformApiUrl !== undefined) return null;
  const folder = await prepareDataFolder(config.dataDir);
  const marker = join(folder, "try-out");
  const isEmpty = (await readdir(folder)).length === 0;
  if (isEmpty) await writeFile(marker, randomBytes(12).toString("base64url"), { mode: 0o600 });
  const password = await readFile(marker, "utf8").catch(() => "");
  return password === "" ? null : { password, finish: async () => rm(marker, { force: true }) };
};
