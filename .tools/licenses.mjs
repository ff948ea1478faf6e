import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inRoot } from "./workspace.mjs";

/** `npm run licenses`: every dependency by licence; 1 when one has none that is known here, or one that would bind what is built with it. */
export const runLicenses = () => {
  const byLicence = new Map();
  for (const { name, version, licence } of installedPackages()) {
    const named = `${name}@${version}`;
    byLicence.set(licence, [...(byLicence.get(licence) ?? []), named]);
  }
  const refused = [...byLicence].flatMap(([licence, names]) =>
    names.filter((name) => !isAllowed(licence, nameOf(name))).map((name) => `${name}: ${licence}`),
  );
  for (const [licence, names] of [...byLicence].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`${licence} (${names.length})\n  ${names.sort().join(", ")}`);
  if (refused.length === 0) return 0;
  process.stderr.write(
    `refused, since the licence is unknown or copyleft: replace these, or judge them in .tools/licenses.mjs\n  ${refused.join("\n  ")}\n`,
  );
  return 1;
};

/** `npm run sbom`: the lockfile as CycloneDX 1.6, with the hashes that installing checks. Dependencies of other platforms are in it too, without a licence. */
export const runSbom = () => {
  const licences = new Map(installedPackages().map(({ name, version, licence }) => [`${name}@${version}`, licence]));
  const components = lockedPackages(readFileSync(inRoot("pnpm-lock.yaml"), "utf8")).map(({ name, version, sha512 }) => {
    const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
    const licence = licences.get(`${name}@${version}`);
    return {
      type: "library",
      "bom-ref": purl,
      name,
      version,
      purl,
      hashes: [{ alg: "SHA-512", content: sha512 }],
      ...(licence !== undefined && { licenses: [{ expression: licence }] }),
    };
  });
  const { name, version, license } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"));
  const component = { type: "application", "bom-ref": name, name, version, licenses: [{ expression: license }] };
  console.log(JSON.stringify({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1, metadata: { component }, components }, null, 2));
  return 0;
};

/** The packages of a lockfile, with their hashes in hex. */
export const lockedPackages = (lockfile) => {
  const section = /\npackages:\n([\s\S]*?)\n(?=\S)/.exec(lockfile)?.[1] ?? "";
  const entries = section.matchAll(/^ {2}'?(@?[^@'\s]+)@([^':\s]+)'?:\n {4}resolution: \{integrity: sha512-([^}]+)\}/gm);
  return Array.from(entries, ([, name, version, integrity]) => ({
    name,
    version,
    sha512: Buffer.from(integrity, "base64").toString("hex"),
  }));
};

const installedPackages = () => {
  const store = inRoot("node_modules/.pnpm");
  const folders = readdirSync(store).flatMap((folder) => packagesIn(join(store, folder, "node_modules")));
  return folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return { name, version, licence: typeof license === "string" ? license : (license?.type ?? "none") };
  });
};

/** What a folder of the store holds itself: the rest are links. */
const packagesIn = (folder) => {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() || entry.name === ".bin") return [];
    if (entry.name.startsWith("@")) return packagesIn(path);
    return existsSync(join(path, "package.json")) ? [path] : [];
  });
};

const nameOf = (named) => named.slice(0, named.lastIndexOf("@"));

const allowed = new Set([
  "MIT",
  "MIT-0",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "BlueOak-1.0.0",
  "Unlicense",
  "Zlib",
  "CC0-1.0",
  "Python-2.0",
]);

/** Judged one by one: MPL-2.0 binds changes of its own files alone, and these build and test, and are part of nothing that is shipped; a list of browsers is data. */
const judged = { "MPL-2.0": /^(@axe-core\/playwright|axe-core|lightningcss(-.+)?)$/, "CC-BY-4.0": /^caniuse-lite$/ };

/** Whether a licence expression of SPDX allows the use: of `OR` one suffices, of `AND` all count. */
export const isAllowed = (expression, name) =>
  expression
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((alternative) => alternative.split(" AND ").every((one) => allowed.has(one) || judged[one]?.test(name) === true));
