import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, basename, dirname } from "node:path";
import { expect, test, describe } from "vitest";
import { data } from "../support/data.ts";
import { root, sourceFiles, foldersIn } from "./graph.ts";
import { brokenLinks, lockedHosts, looseCatalog, loosePins, foldersInTree } from "./repository.ts";

describe("broken links", () => {
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
});

test("the dashboard's texts have the sizes and weights of its theme alone", () => {
  const look =
    /(?<![\w-])(?:(?<size>--mantine-(?:font-size-\w+|h\d-font-size)|font-?size|fz)|--mantine-font-weight-\w+|font-?weight|fw)(?:=\{|: *)(?<value>[^;}\n]+)/giu;
  const strange = sourceFiles(/^admin-web\/src\/.*\.(?:css|tsx?)$/u).flatMap((path) =>
    Array.from(readFileSync(join(root, path), "utf8").matchAll(look), ({ groups }) => {
      const { size, value = "" }: Partial<Record<string, string>> = groups ?? {};
      const known = size === undefined ? /^[46]00$/u : /^(?:13(?:px)?|14(?:px)?|20(?:px)?|28(?:px)?|0\.8125rem|0\.875rem|1\.25rem)$/u;
      const given = value.match(/(?<![\w.-])(?:\d[\w.%]*|bold\w*|lighter|larger|smaller)/gu) ?? [];
      return given.filter((each) => !known.test(each)).map((each) => `${path}: ${each}`);
    }).flat(),
  );
  expect(strange).toEqual([]);
});

test("every test that the threats name exists", () => {
  const threats = readFileSync(join(root, "shared/src/docs/threats.md"), "utf8");
  const named = Array.from(threats.matchAll(/`([^`]+\.(?:test|long)\.ts)`/g), ([, path]) => path ?? "");
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("the operations guide lists every variable that a server reads, and the README none that it does not", () => {
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const configs = sourceFiles(/^(?:gateway|admin-server|shared)\/src\/(?:\w+\/)?config\.ts$/u)
    .map(read)
    .join("");
  // Of a terminal, and of one command that "Cells" describes.
  const known = ["TERM", "MASTER_KEY_TO"];
  const variables = new Set(
    Array.from(configs.matchAll(/variable\(\s*"([A-Z_]+)"/gu), ([, name]) => name ?? "").filter((name) => !known.includes(name)),
  );
  const listed = (text: string) =>
    Array.from(text.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gmu), ([, names]) => names?.match(/[A-Z_]+/gu) ?? []).flat();
  expect(variables.size).toBeGreaterThan(30);
  expect(new Set(listed(read("shared/src/docs/operating.md")))).toEqual(variables);
  expect(listed(read("README.md")).filter((name) => !variables.has(name))).toEqual([]);
});

test("migrations are as they were released, and each is listed with its digest", () => {
  const folder = join(root, "shared/src/db/migrations");
  const digests = readdirSync(folder).map(
    (name) =>
      `${createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex")}  ${name}\n`,
  );
  expect(digests.join("")).toBe(readFileSync(join(root, "shared/src/db/migrations.sha256"), "utf8"));
});

test("all packages, the changelog and what is deployed name one version", () => {
  const paths = ["", "gateway/", "admin-server/", "admin-web/", "shared/", "test/"].map((folder) => join(root, folder, "package.json"));
  const versions = paths.map((path) => (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version);
  const newest = /^## (\S+)/mu.exec(readFileSync(join(root, "CHANGELOG.md"), "utf8"))?.[1];
  expect(new Set(versions)).toEqual(new Set([newest]));
  const deployed = ["Dockerfile", "compose.yaml", "helm/Chart.yaml"].flatMap((file) =>
    Array.from(
      readFileSync(join(root, "gateway/deploy", file), "utf8").matchAll(
        /(?:ersion="?|tidings|ersion): ?"?(\d+\.\d+\.\d+)|version="(\d+\.\d+\.\d+)"/gu,
      ),
      ([, one, other]) => one ?? other,
    ),
  );
  expect(deployed.length).toBeGreaterThanOrEqual(4);
  expect(new Set(deployed)).toEqual(new Set([newest]));
});

test("every npm script is the command of its name, with options of Node itself and of the allocator at most", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
  expect(Object.keys(scripts).length).toBeGreaterThan(10);
  expect(
    Object.entries(scripts).filter(
      ([name, script]) => script.replace(/^MALLOC_\w+=\d+ | --\S+/gu, "") !== `exec node .tools/run.mjs ${name}`,
    ),
  ).toEqual([]);
});

test("every unit of a program waits for migrations, and calls that it is refused do not kill it", () => {
  const folder = join(root, "gateway/deploy/systemd");
  const units = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  expect(units.filter((unit) => !/^SystemCallErrorNumber=EPERM$/mu.test(unit))).toEqual([]);
  expect(units.filter((unit) => !/^(?:Type=oneshot|After=tidings-migrate\.service)$/mu.test(unit))).toEqual([]);
});

describe("the dependencies' licences", async () => {
  const { isAllowed, lockedPackages } = (await import(join(root, ".tools/licenses.mjs"))) as {
    isAllowed: (expression: string, name: string) => boolean;
    lockedPackages: (lockfile: string) => { name: string; version: string; sha512: string }[];
  };

  test.each(data<[string, string, boolean][]>("test-architecture-repository", "of is allowed:"))(
    "%s of %s is allowed: %s",
    (licence, name, is) => {
      expect(isAllowed(licence, name)).toBe(is);
    },
  );

  test("the bill of materials has every package of the lockfile, with its hash", () => {
    const lockfile = readFileSync(join(root, "pnpm-lock.yaml"), "utf8");
    const packages = lockedPackages(lockfile);
    expect(packages).toHaveLength(lockfile.match(/^ {4}resolution: /gm)?.length ?? 0);
    expect(packages.every(({ sha512 }) => /^[0-9a-f]{128}$/.test(sha512))).toBe(true);
  });
});

describe("file shape", () => {
  const maxLines = 400;
  /** The least median in a folder of more than three files: below it, its files are crumbs. */
  const leastMedian = 30;

  test(`no source file is longer than ${maxLines} lines`, () => {
    const lengths = sourceFiles().map((path): [string, number] => [path, linesOf(path)]);
    expect(lengths.filter(([, lines]) => lines > maxLines)).toEqual([]);
  });

  test(`half of a folder's files have at least ${leastMedian} lines`, () => {
    const folders = new Map<string, number[]>();
    for (const path of sourceFiles()) folders.set(dirname(path), [...(folders.get(dirname(path)) ?? []), linesOf(path)]);
    const crumbled = [...folders].filter(([, lengths]) => lengths.length > 3 && median(lengths) < leastMedian);
    expect(crumbled.map(([folder]) => folder)).toEqual([]);
  });

  test("every file and folder is named in kebab case, after the one thing that it holds", () => {
    expect(
      sourceFiles(/./u)
        // These names are the tools' own.
        .filter((path) => !/^(?:README\.md|Caddyfile|Dockerfile(?:\.dockerignore)?|Chart\.yaml|_helpers\.tpl)$/u.test(basename(path)))
        .flatMap(badNames),
    ).toEqual([]);
  });

  test.each([["src/utils/a.ts"], ["src/string-helpers.ts"], ["src/common.ts"], ["src/index.ts"], ["src/twoWords.ts"], ["src/Two/a.ts"]])(
    "%s is no such name",
    (path) => {
      expect(badNames(path)).toEqual([path]);
    },
  );

  test("lines are counted as an editor counts them", () => {
    expect([lineCount(""), lineCount("a\n"), lineCount("a\nb"), lineCount("a\n".repeat(301))]).toEqual([0, 1, 2, 301]);
  });

  function linesOf(path: string): number {
    return lineCount(readFileSync(join(root, path), "utf8"));
  }

  function median(numbers: readonly number[]): number {
    return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
  }

  function lineCount(text: string): number {
    return text === "" ? 0 : text.replace(/\n$/u, "").split("\n").length;
  }

  function badNames(path: string): string[] {
    const stem = basename(path).replace(/^\./u, "").split(".")[0] ?? "";
    const folders = dirname(path)
      .split("/")
      .map((name) => name.replace(/^\./u, ""))
      .filter((name) => name !== "");
    const names = [...folders, stem];
    const kebab = names.every((name) => /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/u.test(name));
    const vague =
      names.some((name) => /(?:^|-)(?:utils?|helpers?|common|misc)$/u.test(name)) || (stem === "index" && !path.endsWith(".html"));
    return kebab && !vague ? [] : [path];
  }
});

describe("pins", () => {
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
});

describe("readme tree", () => {
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
});
