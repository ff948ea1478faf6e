import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

export interface MigrationFile {
  readonly number: number;
  /** `0001_core.sql` */
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text, hex; line ends do not count, since a checkout may change them. */
  readonly checksum: string;
}

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;

/** From the sources also when running from `dist`: SQL is not compiled, so both lie two folders below the package. */
const MIGRATIONS_FOLDER = fileURLToPath(new URL("../../src/db/migrations/", import.meta.url));

/** Every migration of a folder, in order. Throws when two carry the same number or a number is left out. */
export const readMigrationFiles = async (folder: string = MIGRATIONS_FOLDER): Promise<MigrationFile[]> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
  const files = await Promise.all(names.map(async (name) => readMigrationFile(folder, name)));
  for (const [index, file] of files.entries()) {
    if (file.number !== index + 1) throw new Error(`migration ${file.name} should be number ${index + 1}: number them without a gap`);
  }
  return files;
};

const readMigrationFile = async (folder: string, name: string): Promise<MigrationFile> => {
  const digits = FILE_NAME.exec(name)?.[1];
  if (digits === undefined) throw new Error(`migration ${name} should be named like 0001_what_it_does.sql`);
  const text = (await readFile(`${folder}/${name}`, "utf8")).replaceAll("\r\n", "\n");
  return { number: Number(digits), name, text, checksum: createHash("sha256").update(text).digest("hex") };
};
