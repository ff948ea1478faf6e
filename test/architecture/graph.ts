import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";

/** Import cycles among our own files, each as the list of its files from the first in the alphabet; types count, since a cycle of types is one of ideas. */
export function findCycles(graph: Graph): string[][] {
  const state = new Map<string, "open" | "done">();
  const cycles: string[][] = [];
  const trail: string[] = [];

  function visit(path: string): void {
    if (state.get(path) === "done") return;
    if (state.get(path) === "open") {
      cycles.push(fromFirst(trail.slice(trail.indexOf(path))));
      return;
    }
    state.set(path, "open");
    trail.push(path);
    for (const edge of graph.get(path) ?? []) if (edge.kind === "file") visit(edge.name);
    trail.pop();
    state.set(path, "done");
  }

  for (const path of graph.keys()) visit(path);
  return cycles;
}

function fromFirst(cycle: string[]): string[] {
  const start = cycle.indexOf(cycle.toSorted()[0] ?? "");
  return [...cycle.slice(start), ...cycle.slice(0, start)];
}

export interface Edge extends Target {
  typeOnly: boolean;
  names: string[];
}

/** The path of a file → its imports. */
export type Graph = Map<string, Edge[]>;

/** The whole project's imports, which are read once in a process. */
export function readGraph(): Graph {
  const exists = (path: string) => existsSync(join(root, path));
  return (read ??= new Map(sourceFiles().map((path) => [path, edgesOf(path, readFileSync(join(root, path), "utf8"), exists)])));
}
let read: Graph | undefined;

/** A graph of texts that belong to no file: path → text. */
export function graphOf(files: Record<string, string>): Graph {
  return new Map(Object.entries(files).map(([path, text]) => [path, edgesOf(path, text, (other) => other in files)]));
}

function edgesOf(path: string, text: string, exists: (path: string) => boolean): Edge[] {
  return readImports(path, text).map(({ specifier, typeOnly, names }) => ({ ...resolveImport(path, specifier, exists), typeOnly, names }));
}

export interface Import {
  specifier: string;
  /** True if the import is gone after compilation: `import type`, `export type … from`. The linter refuses the third form, `import("…").Name` in a type. */
  typeOnly: boolean;
  /** The names that are taken from the module; `*` for all of it. */
  names: string[];
}

/** Everything that a file imports, in whatever form. `path` tells the language by its end. Read from the parser's list of modules: no tree is built. */
export function readImports(path: string, text: string): Import[] {
  const { module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const isTypeOnly = ({ start }: { start: number }) => /^(?:import|export)\s+type\s+(?!from\b)/u.test(text.slice(start, start + 100));
  const namesOf = (entries: { importName: { name: string | null } }[]) => entries.map(({ importName }) => importName.name ?? "*");
  const imported = module.staticImports.map((one) => ({
    specifier: one.moduleRequest.value,
    typeOnly: isTypeOnly(one),
    names: namesOf(one.entries),
  }));
  const exported = module.staticExports.flatMap((one) => {
    const specifier = one.entries[0]?.moduleRequest?.value;
    return specifier === undefined ? [] : [{ specifier, typeOnly: isTypeOnly(one), names: namesOf(one.entries) }];
  });
  const awaited = module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const [, specifier] = /^(?:"(.*)"|'(.*)')$/u.exec(text.slice(start, end))?.filter((part) => part !== undefined) ?? [];
    return specifier === undefined ? [] : [{ specifier, typeOnly: false, names: ["*"] }];
  });
  return [...imported, ...exported, ...awaited];
}

interface Target {
  /** `file`: one of ours, by its path from the root. `package`: a dependency, by its name. `node`: a module of Node. `asset`: a style sheet or the like. */
  kind: "file" | "package" | "node" | "asset";
  name: string;
}

const members = ["gateway", "admin-server", "shared"];

/** The target of an import specifier in the file `from`. `exists` tells whether a path from the root is a file. */
function resolveImport(from: string, specifier: string, exists: (path: string) => boolean): Target {
  if (specifier.startsWith("node:")) return { kind: "node", name: specifier };
  if (/\.(?:css|svg|sql|md)(?:\?\w+)?$/u.test(specifier)) return { kind: "asset", name: specifier };
  if (specifier.startsWith(".")) return { kind: "file", name: posix.join(posix.dirname(from), specifier) };
  const [first = "", ...rest] = specifier.split("/");
  if (!members.includes(first)) return { kind: "package", name: first.startsWith("@") ? `${first}/${rest[0] ?? ""}` : first };
  const path = `${first}/src/${rest.join("/")}`;
  return { kind: "file", name: exists(`${path}.tsx`) ? `${path}.tsx` : `${path}.ts` };
}

export const root = fileURLToPath(new URL("../..", import.meta.url));

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
