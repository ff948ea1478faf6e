import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { procedurePaths } from "../support/admin.ts";
import { judgedPaths } from "./oracle/procedures.ts";
import { testMonth } from "./suite.ts";

it("of every procedure it is settled which numbers are compared", () => {
  expect(judgedPaths.toSorted()).toEqual(procedurePaths.toSorted());
});

const folder = join(tmpdir(), `tidings-lived-${process.pid}`);
await testMonth({ folder, events: 600, today: 40, isThorough: false });
