import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChild } from "./child.mjs";
import { expected, inRoot, readIfExists } from "./workspace.mjs";

/**
 * Runs the pnpm that package.json names, and no other: npm brings it into a folder of its own by a lockfile with the sha512 of `packageManager`, whatever the
 * registry says its hash is. Answers the exit code.
 */
export const runPnpm = async (args, env) => {
  const folder = mkdtempSync(join(tmpdir(), "tidings-pnpm-"));
  try {
    await bring(folder, env);
    return await runChild(process.execPath, [join(folder, "node_modules/pnpm/bin/pnpm.cjs"), ...args], { env });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const bring = async (folder, env) => {
  const { version, integrity } = pinned();
  const write = (file, content) => writeFileSync(join(folder, file), JSON.stringify(content));
  const dependencies = { pnpm: version };
  write("package.json", { private: true, dependencies });
  write("package-lock.json", { lockfileVersion: 3, packages: { "": { dependencies }, "node_modules/pnpm": { version, integrity } } });
  const report = join(folder, "report.json");
  const output = openSync(report, "w");
  const args = ["ci", "--json", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--prefix", folder];
  const code = await runChild("npm", args, { env, cwd: folder, output }).catch((error) => {
    throw expected(`npm cannot be run (${error.code}): install npm, which comes with Node`);
  });
  closeSync(output);
  if (code === 0) return;
  if (readIfExists(report).includes("EINTEGRITY"))
    throw expected(
      `refused: pnpm ${version} from the registry is not the published one (its sha512 is another than that of packageManager in package.json); ask who runs the registry or proxy that npm uses`,
    );
  throw expected(`npm could not bring pnpm ${version}, see above; is the network there?`);
};

const pinned = () => {
  const { packageManager } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"));
  const [, version, hex] = /^pnpm@([\d.]+)\+sha512\.([\da-f]{128})$/.exec(packageManager) ?? [];
  if (version === undefined) throw expected("packageManager in package.json must read pnpm@VERSION+sha512.HASH, the hash in hex");
  return { version, integrity: `sha512-${Buffer.from(hex, "hex").toString("base64")}` };
};
