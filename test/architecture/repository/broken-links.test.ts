import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, sourceFiles } from "../graph/source-files.ts";
import { brokenLinks } from "./broken-links.ts";

const bundle = "shared/src/docs/";

test("every relative link in a document leads somewhere", () => {
  const paths = [...readdirSync(root).filter((name) => name.endsWith(".md")), ...sourceFiles(/\.md$/u)];
  expect(paths).toContain("README.md");
  const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
  expect(brokenLinks(files, (path) => existsSync(join(root, path)), bundle)).toEqual([]);
});

test("a link to a missing file, a missing heading, or one in another document is found", () => {
  const files = {
    "README.md":
      "[a](gone.md) [b](#no-such) [c](docs.md#first-step) [d](docs.md#no) [e](https://example.com/x) `[f](code.md)`\n```\n[g](code.md)\n```",
    "docs.md": "# First `step`!\n[up](./README.md) [self](#first-step)",
    "shared/src/docs/a.md": "# One\n[other](#two)",
    "shared/src/docs/b.md": "## Two\n[none](#three)",
  };
  const broken = brokenLinks(files, (path) => path in files, bundle);
  expect(broken).toEqual(["README.md: gone.md", "README.md: #no-such", "README.md: docs.md#no", "shared/src/docs/b.md: #three"]);
});
