import { cp, mkdir, rename, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";

/** The environment of PostgreSQL's programs. Only what they need: the user's PG* variables must not reach them. */
export const programEnvironment = (...libraries: string[]): NodeJS.ProcessEnv => {
  const path = libraries.join(":");
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
    LC_ALL: "C",
    LD_LIBRARY_PATH: path,
    DYLD_LIBRARY_PATH: path,
  };
};

/** A folder with the libraries' other names, outside of node_modules, which may be read-only. */
export const linkLibraries = async (binaries: Binaries, folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const [file, name] of binaries.links) await symlink(file, join(folder, name));
};

/** A whole copy, for a user who may not read the original. Made once. */
export const copyBinaries = async (binaries: Binaries, copy: string): Promise<void> => {
  if ((await stat(copy).catch(() => null)) !== null) return;
  const unfinished = `${copy}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(binaries.folder, unfinished, { recursive: true, filter: (source) => !source.endsWith(".a") });
  for (const [file, name] of binaries.links) {
    await rm(join(unfinished, "lib", name), { force: true });
    await symlink(file.slice(file.lastIndexOf("/") + 1), join(unfinished, "lib", name));
  }
  await rename(unfinished, copy);
};
