import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
export const PACKAGES = ["gateway", "admin-server", "admin-web", "shared", "test"];

export const inRoot = (...path) => join(ROOT, ...path);

/** An error whose message is all that a person needs: printed without a stack. */
export const expected = (message) => Object.assign(new Error(message), { expected: true });

/** A digest of files' names and contents. Contents, not times: a checkout changes the times of what is the same. */
export const digest = (files) => {
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(`${relative(ROOT, file)}\0`)
      .update(readIfExists(file))
      .update("\0");
  return hash.digest("hex");
};

/** Every file below a folder, sorted; none when there is no such folder. */
export const filesBelow = (folder, accept = () => true) =>
  list(folder)
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter(accept)
    .sort();

export const readIfExists = (file) => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
};

const list = (folder) => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
};
