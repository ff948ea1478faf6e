import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { foldersIn, root } from "../graph/source-files.ts";
import { foldersInTree } from "./readme-tree.ts";

test("the README's tree is the real one", () => {
  const told = foldersInTree(readFileSync(join(root, "README.md"), "utf8"));
  expect(told.toSorted()).toEqual(realFolders().toSorted());
});

test("a folder that is missing, or one too many, would show", () => {
  const readme = "## The tree\n\nwords\n\n```\ngateway/          a\n  src/http/       b\n    deep/         c\nshared/           d\n```\n";
  expect(foldersInTree(readme)).toEqual(["gateway", "gateway/src/http", "gateway/src/http/deep", "shared"]);
  expect(foldersInTree("# No tree")).toEqual([]);
  expect(realFolders()).toContain("shared/src/core");
});

/** Packages, the folders in their `src` (or in the package itself where there is no `src`), and no deeper. */
function realFolders(): string[] {
  return foldersIn(".").flatMap((name) => {
    const inside = foldersIn(name).flatMap((folder) =>
      folder === "src" ? foldersIn(`${name}/src`).map((each) => `${name}/src/${each}`) : [`${name}/${folder}`],
    );
    return [name, ...inside];
  });
}
