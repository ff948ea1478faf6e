import { access, constants, mkdir, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ConfigurationError } from "../server/configuration-error.ts";

const OTHER = "set DATA_DIR to a folder of your own";

/**
 * Makes the data folder if it is missing (mode 0700) and answers its real path. Throws `ConfigurationError` when it cannot be made,
 * is no folder, or belongs to another user: root may write everywhere, but its files would lock the owner out.
 */
export const prepareDataFolder = async (path: string): Promise<string> => {
  try {
    await makeFolder(resolve(path));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const what = code === "EEXIST" || code === "ENOTDIR" ? "is not a folder" : `cannot be made (${code})`;
    throw new ConfigurationError([`DATA_DIR ${path} ${what}: ${OTHER}`], { cause: error });
  }
  const folder = await realpath(path);
  const owner = (await stat(folder)).uid;
  const self = process.getuid?.() ?? owner;
  if (owner !== self) {
    throw new ConfigurationError([`DATA_DIR ${path} belongs to another user (uid ${owner}, not ${self}): start as that user or ${OTHER}`]);
  }
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).catch((error: unknown) => {
    throw new ConfigurationError([`DATA_DIR ${path} may not be written: change its permissions or ${OTHER}`], { cause: error });
  });
  return folder;
};

// Node's own recursive mkdir never returns where the parent is there and still nothing can be made in it, as under /proc.
const makeFolder = async (path: string): Promise<void> => {
  const isFolder = async (): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
  if (await isFolder()) return;
  const parent = dirname(path);
  if ((await stat(parent).catch(() => undefined)) === undefined) await makeFolder(parent);
  await mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
    if (!(await isFolder())) throw error;
  });
};
