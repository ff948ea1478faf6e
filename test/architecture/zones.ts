import { readFileSync } from "node:fs";
import { words } from "../support/words.ts";
import type { Zone } from "./fences.ts";

/** Who may import whom, as `zones.txt` lists it. */
export const zones: Zone[] = [];

const members = ["may", "types", "packages", "packageTypes"];
const groups = new Map<string, string[]>();

function all(name: string): string[] {
  const group = groups.get(name);
  if (group === undefined && name.startsWith("$")) throw new Error(`zones.txt: ${name} stands for nothing`);
  return group ?? [name];
}

for (const line of readFileSync(new URL("zones.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((text) => /^[^#]/u.test(text))) {
  const [name = "", ...names] = words(line);
  if (name.startsWith("$")) groups.set(name, names);
  else if (!line.startsWith(" ")) zones.push({ at: name, may: [] });
  else if (members.includes(name)) Object.assign(zones.at(-1) ?? {}, { [name]: names.flatMap(all) });
  else throw new Error(`zones.txt: a zone has no ${name}`);
}
