import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { data } from "../../../../test/support/data.ts";
import type { JsonValue } from "../json.ts";
import { learnFields } from "./learn.ts";
import { type TypeLanguage, writeTypes } from "./types.ts";

const folder = mkdtempSync(join(tmpdir(), "types-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const payloads: Record<string, JsonValue> = data("core-fields-types", "payloads");
const events = Object.entries(payloads).map(([name, payload]) => ({ name, fields: learnFields(payload) }));
const write = (language: TypeLanguage): string => writeTypes(language, events);

describe("the types of learned fields", () => {
  it("are those of the payloads, all optional, without samples", () => {
    expect(writeTypes("typescript", events.slice(0, 2))).toBe(`/** The payload of \`order.created\`. */
export interface OrderCreated {
  $id?: string;
  customer?: {
    class?: unknown;
    "first-name"?: string;
    full_name?: string;
  };
  order?: {
    empty?: Record<string, unknown>;
    items?: {
      gift?: boolean;
      name?: string;
      qty?: number;
      tags?: string[];
    }[];
    list?: unknown[];
    matrix?: number[][];
    mixed?: unknown[];
    notes?: {
      at?: unknown;
    }[];
    total?: string;
  };
}

/** The payload of \`order_created\`. */
export interface OrderCreated2 {
  a?: number;
}
`);
    for (const language of ["json-schema", "python", "go"] as const) expect(write(language)).not.toContain("sample");
  });

  it("have any type where a field had several, and say how many names are left out", () => {
    const mixed = {
      name: "mixed",
      fields: [
        { path: "a", type: "string" as const },
        { path: "a.b", type: "number" as const },
      ],
    };
    expect(writeTypes("typescript", [mixed], 3)).toBe(
      "// 3 event names that came longer ago are left out.\n\n/** The payload of `mixed`. */\nexport interface Mixed {\n  a?: unknown;\n}\n",
    );
    expect([writeTypes("typescript", []), writeTypes("go", [])]).toEqual(["export {};\n", "package events\n"]);
  });

  it("are read by TypeScript, Python and Go, where they are there", () => {
    const path = (name: string) => join(folder, name);
    const use = `import type { Event2fa, None2, OrderCreated } from "./types.ts";
const a: OrderCreated = { order: { items: [{ qty: 2 }] } };
// @ts-expect-error
const b: OrderCreated = { order: { total: 1 } };
const c: Event2fa & None2 = { 'quoted "key"': "x", order: { order: { order: 1 } } };
export { a, b, c };\n`;
    writeFileSync(path("types.ts"), write("typescript"));
    writeFileSync(path("use.ts"), use);
    const tsc = fileURLToPath(new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url));
    const strict = ["--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions", "--module", "esnext", "--target", "es2022"];
    expect(execFileSync(process.execPath, [tsc, ...strict, "--types", "", "use.ts"], { cwd: folder, encoding: "utf8" })).toBe("");
    const check = "from types_under_test import *; assert OrderCreated.__optional_keys__ == {'$id', 'customer', 'order'}, None2";
    writeFileSync(path("types_under_test.py"), write("python"));
    runIfThere("python3", ["-c", check], { PYTHONPATH: folder });
    writeFileSync(path("types.go"), write("go"));
    runIfThere("go", ["vet", path("types.go")], { GOCACHE: path("go"), GO111MODULE: "off", HOME: folder });
  });
});

function runIfThere(program: string, args: string[], env: Record<string, string>): void {
  try {
    execFileSync(program, args, { cwd: folder, env: { PATH: process.env["PATH"], ...env }, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    // What only another user may run is not there either.
    if (!["ENOENT", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
