import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

const packages = ["gateway", "admin-server", "admin-web", "shared", "test", ".tools"];
const skipped = new Set(["node_modules", "dist"]);

/** Every file of the project's own code, as a path from the root with forward slashes, sorted. `extension`: a pattern of the file's end. */
export function sourceFiles(extension = /\.(?:tsx?|mjs|js)$/u): string[] {
  return packages
    .flatMap((name) => filesBelow(join(root, name)))
    .map((path) => relative(root, path).replaceAll(sep, "/"))
    .filter((path) => extension.test(path))
    .toSorted();
}

/** Folders directly in `folder` (a path from the root) that hold the project's own files: no hidden ones, no build output. */
export function foldersIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !skipped.has(entry.name) && !entry.name.startsWith("."))
    .map((entry) => entry.name)
    .toSorted();
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return skipped.has(entry.name) || entry.name.startsWith(".") ? [] : filesBelow(join(folder, entry.name));
    return [join(folder, entry.name)];
  });
}
