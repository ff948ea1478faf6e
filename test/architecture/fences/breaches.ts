import type { Edge, Graph } from "../graph/read-graph.ts";
import { isWithin, zoneOf, type Zone } from "./zone.ts";

/** Every import that no zone allows, one line each, and every file that lies in no zone. Tests may import what they like. */
export function breaches(graph: Graph, zones: Zone[]): string[] {
  return [...graph].filter(([path]) => !isTest(path)).flatMap(([path, edges]) => breachesOf(path, edges, zones));
}

function isTest(path: string): boolean {
  return path.startsWith("test/") || /\.test\.tsx?$/u.test(path);
}

function breachesOf(path: string, edges: Edge[], zones: Zone[]): string[] {
  const found = zoneOf(path, zones);
  if (found === undefined) return [`${path} lies in no zone: say in zones.ts what it may import`];
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
