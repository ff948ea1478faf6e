import { posix } from "node:path";

export interface Target {
  /** `file`: one of ours, by its path from the root. `package`: a dependency, by its name. `node`: a module of Node. `asset`: a style sheet or the like. */
  kind: "file" | "package" | "node" | "asset";
  name: string;
}

const members = ["gateway", "admin-server", "shared"];

/** What an import specifier in the file `from` names. `exists` tells whether a path from the root is a file. */
export function resolveImport(from: string, specifier: string, exists: (path: string) => boolean): Target {
  if (specifier.startsWith("node:")) return { kind: "node", name: specifier };
  if (/\.(?:css|svg|sql|md)(?:\?\w+)?$/u.test(specifier)) return { kind: "asset", name: specifier };
  if (specifier.startsWith(".")) return { kind: "file", name: posix.join(posix.dirname(from), specifier) };
  const [first = "", ...rest] = specifier.split("/");
  if (!members.includes(first)) return { kind: "package", name: first.startsWith("@") ? `${first}/${rest[0] ?? ""}` : first };
  const path = `${first}/src/${rest.join("/")}`;
  return { kind: "file", name: exists(`${path}.tsx`) ? `${path}.tsx` : `${path}.ts` };
}
