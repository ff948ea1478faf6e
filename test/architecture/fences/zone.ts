/** One part of the project and all that it may import. What is not named here is refused. */
export interface Zone {
  /** A file or folder, from the root; `*` stands for one name. The longest that matches a file is the file's zone. */
  at: string;
  /** Files and folders of ours. `{zone}` stands for the zone's own path, with the name that `*` matched. */
  may: string[];
  /** Files and folders of which only types may be named. */
  types?: string[];
  /** Packages, by name; `node:` for Node's own modules, or one of them. */
  packages?: string[];
  /** Packages of which only types may be named. */
  packageTypes?: string[];
}

/** The zone of a file and the path that its `at` stands for there; undefined when no zone covers the file. */
export function zoneOf(path: string, zones: Zone[]): { zone: Zone; place: string } | undefined {
  return zones
    .map((zone) => ({ zone, place: matchedPrefix(path, zone.at) }))
    .filter((match): match is { zone: Zone; place: string } => match.place !== undefined)
    .toSorted((a, b) => b.place.split("/").length - a.place.split("/").length || wildcards(a.zone) - wildcards(b.zone))[0];
}

/** Whether `path` is `pattern` or lies below it. */
export function isWithin(path: string, pattern: string): boolean {
  return matchedPrefix(path, pattern) !== undefined;
}

function matchedPrefix(path: string, pattern: string): string | undefined {
  const names = path.split("/");
  const wanted = pattern.split("/");
  const matches = wanted.length <= names.length && wanted.every((name, index) => name === "*" || name === names[index]);
  return matches ? names.slice(0, wanted.length).join("/") : undefined;
}

function wildcards(zone: Zone): number {
  return zone.at.split("*").length;
}
