import { randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigurationError } from "shared/server/configuration-error";

/** The data folder's own master key in base64, made at the first start (mode 0600). */
export const keptMasterKey = async (dataDir: string): Promise<string> => {
  const file = join(dataDir, "master-key");
  const key = (await read(file)) ?? (await create(file));
  if (Buffer.from(key, "base64").length !== 32) {
    throw new ConfigurationError([`${file} is not a key of 32 bytes in base64: restore it, or set DATA_DIR to another folder`]);
  }
  return key;
};

const read = async (file: string): Promise<string | undefined> => {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
};

/** Puts a key where the data folder keeps its own. Throws when there is one. */
export const storeMasterKey = async (dataDir: string, key: string): Promise<void> => store(join(dataDir, "master-key"), key);

const create = async (file: string): Promise<string> => {
  const key = randomBytes(32).toString("base64");
  await store(file, key);
  return key;
};

// Written whole under another name first: a key that was cut off would lose what it encrypted.
const store = async (file: string, key: string): Promise<void> => {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${key}\n`, { mode: 0o600, flush: true });
  await link(draft, file);
  await rm(draft);
};
