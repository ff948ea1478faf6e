import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { foldersIn, root } from "../graph/source-files.ts";
import { lockedHosts, looseCatalog, loosePins } from "./pins.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");

test.each([".", ...foldersIn(".")])("%s/package.json pins exact versions", (folder) => {
  expect(loosePins(JSON.parse(read(`${folder}/package.json`)) as Record<string, unknown>)).toEqual([]);
});

test("so does the catalogue", () => {
  expect(read("pnpm-workspace.yaml")).toMatch(/^catalog:\n {2}/mu);
  expect(looseCatalog(read("pnpm-workspace.yaml"))).toEqual([]);
});

test("the lockfile names no host", () => {
  const lockfile = read("pnpm-lock.yaml");
  expect(lockfile).toContain("integrity:");
  expect(lockedHosts(lockfile)).toEqual([]);
});

test("a range, a tag, an address or a host would be found", () => {
  const loose = {
    dependencies: { a: "^1.0.0", b: "1.0.0" },
    devDependencies: { c: "latest", d: "workspace:*" },
    optionalDependencies: { e: "1.x" },
  };
  expect(loosePins(loose)).toEqual(["a ^1.0.0", "c latest", "e 1.x"]);
  expect(looseCatalog('catalog:\n  "@x/y": ~1.0.0\n  z: 1.2.3-beta.1\nother:\n  q: ^2\n')).toEqual(['"@x/y": ~1.0.0']);
  expect(
    lockedHosts("a:\n  resolution: {integrity: sha512-x, tarball: http://host/a.tgz}\n  deprecated: see https://example.com\n"),
  ).toHaveLength(1);
});
