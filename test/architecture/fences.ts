import type { Edge, Graph } from "./graph.ts";

/** Every import that no zone allows, one line each, and every file that lies in no zone. Tests may import anything. */
export function breaches(graph: Graph, zones: Zone[]): string[] {
  return [...graph].filter(([path]) => !isTest(path)).flatMap(([path, edges]) => breachesOf(path, edges, zones));
}

function isTest(path: string): boolean {
  return path.startsWith("test/") || /\.test\.tsx?$/u.test(path);
}

function breachesOf(path: string, edges: Edge[], zones: Zone[]): string[] {
  const found = zoneOf(path, zones);
  if (found === undefined) return [`${path} lies in no zone: say in zones.txt what it may import`];
  const { zone, place } = found;
  return edges
    .filter((edge) => !isAllowed(edge, zone, place))
    .map((edge) => `${path} must not import ${edge.typeOnly ? "even types of " : ""}${edge.name}`);
}

function isAllowed(edge: Edge, zone: Zone, place: string): boolean {
  switch (edge.kind) {
    case "asset":
      return true;
    case "file":
      return [...zone.may, ...(edge.typeOnly ? (zone.types ?? []) : [])].some((each) => isWithin(edge.name, each.replace("{zone}", place)));
    case "node":
      return (zone.packages ?? []).some((each) => each === "node:" || each === edge.name);
    case "package":
      return [...(zone.packages ?? []), ...(edge.typeOnly ? (zone.packageTypes ?? []) : [])].some((each) => isPackage(edge.name, each));
  }
}

function isPackage(name: string, allowed: string): boolean {
  return name === allowed || (allowed.endsWith("/*") && name.startsWith(allowed.slice(0, -1)));
}

/** One part of the project and everything that it may import. Other imports are refused. */
export interface Zone {
  /** A file or folder, from the root; `*` stands for one name. The longest one that matches a file is the file's zone. */
  at: string;
  /** Files and folders of ours. `{zone}` stands for the zone's own path, with the name that `*` matched. */
  may: string[];
  /** Files and folders whose types may be named, but nothing else. */
  types?: string[];
  /** Packages, by name; `node:` for Node's own modules, or one of them. */
  packages?: string[];
  /** Packages whose types may be named, but nothing else. */
  packageTypes?: string[];
}

/** The zone of a file and the path that its `at` stands for there; undefined when no zone covers the file. */
function zoneOf(path: string, zones: Zone[]): { zone: Zone; place: string } | undefined {
  return zones
    .map((zone) => ({ zone, place: matchedPrefix(path, zone.at) }))
    .filter((match): match is { zone: Zone; place: string } => match.place !== undefined)
    .toSorted((a, b) => b.place.split("/").length - a.place.split("/").length || wildcards(a.zone) - wildcards(b.zone))[0];
}

/** Whether `path` is `pattern` or lies below it. */
function isWithin(path: string, pattern: string): boolean {
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

const folder = "gateway/src/ingest/";
const steps = ["authenticate", "plan", "claim", "dispatch", "settle", "recover"];

/**
 * Every place where one step of the ingest spine takes a value of another. Only `ingest.ts` composes them; the steps may name each other's types, since
 * each step's input is the output of the step before it.
 */
export function stepBreaches(graph: Graph): string[] {
  return [...graph].flatMap(([path, edges]) => {
    if (!path.startsWith(folder) || path === `${folder}ingest.ts` || path.endsWith(".test.ts")) return [];
    return edges
      .filter((edge) => !edge.typeOnly && edge.kind === "file")
      .filter((edge) => edge.name === `${folder}ingest.ts` || (stepOf(edge.name) !== undefined && stepOf(edge.name) !== stepOf(path)))
      .map((edge) => `${path} takes a value of ${edge.name}: let ingest.ts hand it over`);
  });
}

/** The step that a file belongs to: `claim.ts` and everything in `claim/`. */
function stepOf(path: string): string | undefined {
  if (!path.startsWith(folder)) return undefined;
  const name = path.slice(folder.length).split(/[/.]/u)[0] ?? "";
  return steps.includes(name) ? name : undefined;
}
