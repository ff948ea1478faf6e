import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readImports } from "./read-imports.ts";
import { resolveImport, type Target } from "./resolve-import.ts";
import { root, sourceFiles } from "./source-files.ts";

export interface Edge extends Target {
  typeOnly: boolean;
  names: string[];
}

/** Path of a file → what it imports. */
export type Graph = Map<string, Edge[]>;

/** The whole project's imports. */
export function readGraph(): Graph {
  const exists = (path: string) => existsSync(join(root, path));
  return new Map(sourceFiles().map((path) => [path, edgesOf(path, readFileSync(join(root, path), "utf8"), exists)]));
}

/** A graph of texts that stand in no file: path → text. */
export function graphOf(files: Record<string, string>): Graph {
  return new Map(Object.entries(files).map(([path, text]) => [path, edgesOf(path, text, (other) => other in files)]));
}

function edgesOf(path: string, text: string, exists: (path: string) => boolean): Edge[] {
  return readImports(path, text).map(({ specifier, typeOnly, names }) => ({ ...resolveImport(path, specifier, exists), typeOnly, names }));
}
