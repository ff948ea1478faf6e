import { existsSync, rmSync, writeFileSync } from "node:fs";
import { runChild } from "./child.mjs";
import { say } from "./quiet.mjs";
import { digest, expected, filesBelow, inRoot, readIfExists } from "./workspace.mjs";

const isSource = (file) => !file.endsWith(".test.ts") && !file.endsWith(".test.tsx") && !file.endsWith(".md") && !file.endsWith(".sql");
const shared = () => ["pnpm-lock.yaml", "tsconfig.base.json"].map((file) => inRoot(file));
const sources = (...packages) =>
  packages.flatMap((name) => [inRoot(name, "tsconfig.json"), inRoot(name, "package.json"), ...filesBelow(inRoot(name, "src"), isSource)]);

/** What is built: from which files, how, where its stamp lies, and what must be there for the stamp to count. */
const TARGETS = [
  {
    name: "servers",
    inputs: () => [...shared(), ...sources("shared", "gateway", "admin-server")],
    stamp: inRoot("admin-server/dist/.tidings-built"),
    outputs: ["shared/dist", "shared/dist/core", "gateway/dist", "admin-server/dist"],
    build: async () => node("node_modules/typescript/bin/tsc", ["-b", "gateway", "admin-server"]),
  },
  {
    name: "dashboard",
    inputs: () => [
      ...shared(),
      ...["vite.config.ts", "index.html"].map((file) => inRoot("admin-web", file)),
      ...["public", "texts"].flatMap((folder) => filesBelow(inRoot("admin-web", folder))),
      ...sources("admin-web"),
      ...filesBelow(inRoot("shared/src/core"), isSource),
      ...filesBelow(inRoot("shared/src/docs")),
    ],
    stamp: inRoot("admin-web/dist/.tidings-built"),
    outputs: ["admin-web/dist/web/index.html"],
    build: async () => node("node_modules/vite/bin/vite.js", ["build", "--logLevel", "warn"], "admin-web"),
  },
];

/** Whether everything that is run was built from the sources as they are. */
export const isBuilt = () => TARGETS.every(isCurrent);

export const buildStale = async () => {
  for (const target of TARGETS) {
    if (isCurrent(target)) continue;
    say(`building the ${target.name}…`);
    rmSync(target.stamp, { force: true });
    const before = digest(target.inputs());
    if ((await target.build()) !== 0) throw expected(`building the ${target.name} failed, see above`);
    writeFileSync(target.stamp, before);
  }
};

const isCurrent = (target) =>
  target.outputs.every((path) => existsSync(inRoot(path))) && readIfExists(target.stamp) === digest(target.inputs());

const node = async (script, args, folder = ".") =>
  runChild(process.execPath, [inRoot(folder, script), ...args], { cwd: inRoot(folder), env: { ...process.env, NODE_ENV: "production" } });
