/** The parts of a zod schema that tell its form. */
export interface Schema {
  _zod: { def: object };
}

interface Check {
  check?: string;
  format?: string;
  maximum?: number;
}

interface Def extends Check {
  type: string;
  checks?: { _zod: { def: Check } }[];
  shape?: Record<string, Schema>;
  element?: Schema;
  valueType?: Schema;
  options?: Schema[];
  entries?: Record<string, unknown>;
  values?: unknown[];
  innerType?: Schema;
  in?: Schema;
}

const checksOf = (def: Def): Check[] => [def, ...(def.checks ?? []).map((check) => check._zod.def)];
const mostOf = (def: Def): number =>
  Math.min(...checksOf(def).flatMap(({ check, maximum }) => (check === "max_length" && maximum !== undefined ? [maximum] : [])));

/** How many members a record and an event's payload have, which have no bound of their own, and how long a text is at most: that of a template's body and more. */
const ofRecord = 200;
const longest = 2_500;
const unbounded = 40;

/**
 * An input of a schema's form, in which every list and text has `share` of what it may have: texts repeat `unit`. Rules beyond form and length may refuse
 * it; what they cost counts too.
 */
export function largestInput(schema: Schema, share: number, unit: string): unknown {
  const def = schema._zod.def as Def;
  const within = (inner: Schema | undefined): unknown => (inner === undefined ? null : largestInput(inner, share, unit));
  const sized = (most: number): number => Math.max(1, Math.floor((Number.isFinite(most) ? most : unbounded) * share));
  const list = <T>(most: number, make: (n: number) => T): T[] => Array.from({ length: sized(most) }, (_, n) => make(n));
  switch (def.type) {
    case "object":
      return Object.fromEntries(Object.entries(def.shape ?? {}).map(([name, member]) => [name, within(member)]));
    case "string": {
      if (checksOf(def).some(({ format }) => format === "guid")) return "019aa000-0000-7000-8000-00000000abcd";
      const length = sized(Number.isFinite(mostOf(def)) ? Math.min(mostOf(def), longest) : unbounded);
      return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
    }
    case "array":
      return list(mostOf(def), () => within(def.element));
    case "record":
      return Object.fromEntries(list(ofRecord, (n) => [String(n + 1), within(def.valueType)]));
    case "union":
      return within(def.options?.at(-1));
    case "enum":
      return Object.values(def.entries ?? {})[0];
    case "literal":
      return def.values?.[0];
    case "pipe":
      return within(def.in);
    case "int":
    case "number":
      return 1;
    case "boolean":
      return true;
    case "custom":
      return Object.fromEntries(list(ofRecord, (n) => [`k${n}`, unit]));
    default:
      return within(def.innerType);
  }
}
