import { expect, test } from "vitest";
import type { $ZodCheck, $ZodType, $ZodTypes } from "zod/v4/core";
import { procedurePaths } from "../../test/support/admin.ts";
import { auditCsv, auditLines, notificationsCsv, statisticsCsv } from "./http/exports.ts";
import { appRouter } from "./router.ts";

const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { inputs: $ZodType[] } }>;
const files = [auditCsv, auditLines, notificationsCsv, statisticsCsv];

test.each(procedurePaths)("%s takes an input, refuses members that it does not know, and bounds each array and text", (path) => {
  const inputs = procedures[path]?._def.inputs ?? [];
  expect(inputs).not.toEqual([]);
  const found = inputs.flatMap((input) => faultsIn(input));
  expect(found).toEqual([]);
});

test.each(files)("%# the query of a file refuses members that it does not know, and bounds each text", ({ input }) => {
  expect(faultsIn(input)).toEqual([]);
});

type Fault = [kind: "loose" | "unbounded", path: string];

/** The paths of the objects within that drop or keep unknown members, and of the arrays, records and texts without a bound. */
function faultsIn(schema: $ZodType, path = "input"): Fault[] {
  const { def } = (schema as $ZodTypes)._zod;
  const unbounded = (): Fault[] => (isBounded(schema as $ZodTypes) ? [] : [["unbounded", path]]);
  switch (def.type) {
    case "object": {
      const isStrict = def.catchall?._zod.def.type === "never";
      return [
        ...(isStrict ? [] : [["loose", path] satisfies Fault]),
        ...Object.entries(def.shape).flatMap(([name, member]) => faultsIn(member, `${path}.${name}`)),
      ];
    }
    case "string":
      return unbounded();
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
      return faultsIn(def.innerType, path);
    case "array":
      return [...unbounded(), ...faultsIn(def.element, `${path}[]`)];
    case "record":
      return [...faultsIn(def.keyType, `${path}{key}`), ...faultsIn(def.valueType, `${path}{}`)];
    case "union":
      return def.options.flatMap((option) => faultsIn(option, path));
    case "pipe":
      // What a transformation makes is not the caller's.
      return [...faultsIn(def.in, path), ...(isBounded(def.in as $ZodTypes) ? [] : faultsIn(def.out, path))];
    default:
      return [];
  }
}

/** Forms whose texts have a length of their own. */
const shortForms = new Set(["guid", "date"]);

interface Check {
  check?: string;
  format?: string;
  pattern?: RegExp;
}

function isBounded({ _zod: { def } }: $ZodTypes): boolean {
  const checks = ("checks" in def ? (def.checks ?? []) : []) as $ZodCheck[];
  return [def as Check, ...checks.map((check) => check._zod.def as Check)].some(
    ({ check, format = "", pattern }) => check === "max_length" || shortForms.has(format) || (format === "regex" && isShort(pattern)),
  );
}

/** Whether the pattern is of a whole text, and repeats nothing without end. */
function isShort(pattern = /./u): boolean {
  const outsideClasses = pattern.source.replaceAll(/\\.|\[(?:[^\]\\]|\\.)*\]/gu, "a");
  return /^\^.*\$$/su.test(pattern.source) && !/[*+]|\{\d+,\}/u.test(outsideClasses);
}
