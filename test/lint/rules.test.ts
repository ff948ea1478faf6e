import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plantedFaults } from "./planted-faults.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "planted-faults-"));
/** Rule names by the folder of the fault, as the linter reported them. */
const reported = new Map<string, Set<string>>();

interface Report {
  diagnostics: { code: string; filename: string }[];
}

beforeAll(() => {
  const compilerOptions = { strict: true, module: "esnext", moduleResolution: "bundler", target: "es2023", noEmit: true };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts"] }));
  plantedFaults.forEach(({ files }, index) => {
    mkdirSync(join(folder, `f${index}`));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `f${index}`, name), text);
  });
  for (const { code, filename } of lint().diagnostics) {
    const fault = /\bf\d+(?=\/)/u.exec(filename.replaceAll("\\", "/"))?.[0] ?? "";
    reported.set(fault, (reported.get(fault) ?? new Set()).add(code));
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each(plantedFaults.map((fault, index) => [index, fault.rule] as const))(
  "planted fault %i is found by %s, and by nothing else",
  (index, rule) => {
    expect([...(reported.get(`f${index}`) ?? [])]).toEqual([rule]);
  },
);

function lint(): Report {
  // The linter looks for its type-aware half beside the linted files or in PATH.
  const env = { PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env["PATH"] ?? ""}` };
  const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
  try {
    execFileSync(process.execPath, [oxlint, "--type-aware", "-f", "json", "-c", join(root, ".oxlintrc.json"), "."], { cwd: folder, env });
  } catch (error) {
    if (error instanceof Error && "stdout" in error) return JSON.parse(String(error.stdout)) as Report;
    throw error;
  }
  throw new Error("The linter found no fault at all in the planted ones.");
}
