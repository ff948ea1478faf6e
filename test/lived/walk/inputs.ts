import { appRouter } from "admin-server/router";

// What the router itself says of its procedures, so that a walk misses none of them and none of their filters.

interface Procedure {
  _def: { type: "query" | "mutation" | "subscription"; inputs: Schema[] };
}

/** The part of zod's schemas that is read here. */
interface Schema {
  _zod: { def: { type: string; shape?: Record<string, Schema>; innerType?: Schema; in?: Schema; entries?: Record<string, unknown> } };
}

const procedures = appRouter._def.procedures as unknown as Record<string, Procedure>;

export const pathsOf = (...types: Procedure["_def"]["type"][]): string[] =>
  Object.keys(procedures).filter((path) => types.includes((procedures[path] as Procedure)._def.type));

/** A member of an input. */
interface Member {
  name: string;
  isRequired: boolean;
  /** Every value that there is, of an enum and of a boolean; null for the others. */
  all: readonly unknown[] | null;
}

/** The members of a procedure's input; null where it may have one of several forms. */
export function membersOf(path: string): Member[] | null {
  const shape = shapeOf(procedures[path]?._def.inputs[0] as Schema);
  return shape && Object.entries(shape).map(([name, schema]) => ({ name, isRequired: !isOptional(schema), all: allOf(schema) }));
}

/** Whether its answers come page by page. */
export const isList = (path: string): boolean => membersOf(path)?.some(({ name }) => name === "limit") === true;

function shapeOf({ _zod: { def } }: Schema): Record<string, Schema> | null {
  const inner = def.innerType ?? def.in;
  return def.shape ?? (inner === undefined ? null : shapeOf(inner));
}

const isOptional = ({ _zod: { def } }: Schema): boolean => ["optional", "default", "prefault"].includes(def.type);

function allOf({ _zod: { def } }: Schema): readonly unknown[] | null {
  if (def.entries !== undefined) return Object.values(def.entries);
  if (def.type === "boolean") return [true, false];
  return def.innerType === undefined ? null : allOf(def.innerType);
}
