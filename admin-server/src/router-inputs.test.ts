import { expect, test } from "vitest";
import type { $ZodType, $ZodTypes } from "zod/v4/core";
import { procedurePaths } from "../../test/support/admin.ts";
import { auditCsv, auditLines, notificationsCsv, statisticsCsv } from "./http/exports.ts";
import { appRouter } from "./router.ts";

const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { inputs: $ZodType[] } }>;

test.each(procedurePaths)("%s takes an input, and refuses members that it does not know", (path) => {
  const inputs = procedures[path]?._def.inputs ?? [];
  expect(inputs).not.toEqual([]);
  expect(inputs.flatMap((input) => looseObjects(input))).toEqual([]);
});

test.each([auditCsv, auditLines, notificationsCsv, statisticsCsv])(
  "%# the query of a file refuses members that it does not know",
  ({ input }) => {
    expect(looseObjects(input)).toEqual([]);
  },
);

/** The paths of the objects within that drop or keep unknown members. */
function looseObjects(schema: $ZodType, path = "input"): string[] {
  const { def } = (schema as $ZodTypes)._zod;
  switch (def.type) {
    case "object": {
      const isStrict = def.catchall?._zod.def.type === "never";
      return [
        ...(isStrict ? [] : [path]),
        ...Object.entries(def.shape).flatMap(([name, member]) => looseObjects(member, `${path}.${name}`)),
      ];
    }
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
      return looseObjects(def.innerType, path);
    case "array":
      return looseObjects(def.element, `${path}[]`);
    case "record":
      return looseObjects(def.valueType, `${path}{}`);
    case "union":
      return def.options.flatMap((option) => looseObjects(option, path));
    case "pipe":
      return [...looseObjects(def.in, path), ...looseObjects(def.out, path)];
    default:
      return [];
  }
}
