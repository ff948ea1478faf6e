import { accessSync, constants, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { runPnpm } from "./pnpm.mjs";
import { say } from "./quiet.mjs";
import { digest, expected, inRoot, PACKAGES, readIfExists } from "./workspace.mjs";

const STAMP = inRoot("node_modules/.tidings-installed");

/** Whether node_modules is what the lockfile and the manifests ask for. */
export const isInstalled = () => readIfExists(STAMP) === wanted() && PACKAGES.every((name) => existsSync(inRoot(name, "node_modules")));

export const installMissing = async () => {
  if (isInstalled()) return;
  say("installing dependencies (once; takes a minute)…");
  rmSync(STAMP, { force: true });
  const args = ["install", "--frozen-lockfile", "--prod=false", "--reporter=append-only", "--loglevel=info"];
  const code = await runPnpm(args, environment());
  if (code !== 0) throw expected("installing failed, see above; is the network there and this folder yours to write?");
  writeFileSync(STAMP, wanted());
};

const wanted = () => {
  const manifests = ["package.json", ...PACKAGES.map((name) => join(name, "package.json"))];
  return `${process.platform}-${process.arch} ${digest(["pnpm-lock.yaml", "pnpm-workspace.yaml", ...manifests].map((file) => inRoot(file)))}`;
};

// CI keeps pnpm from asking. The npm that came with the running Node goes first.
const environment = () => ({
  ...process.env,
  ...home(),
  CI: "true",
  npm_config_update_notifier: "false",
  // Not the one of `npm --silent start`: what fails must be seen.
  npm_config_loglevel: "error",
  PATH: [dirname(process.execPath), process.env.PATH].filter(Boolean).join(delimiter),
});

// npm and pnpm keep caches below HOME; without one that can be written they get a temporary one.
const home = () => {
  if (isWritable(safeHome())) return {};
  const folder = join(tmpdir(), `tidings-home-${process.getuid?.() ?? "user"}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    HOME: folder,
    npm_config_cache: join(folder, "npm"),
    XDG_CACHE_HOME: join(folder, "cache"),
    XDG_DATA_HOME: join(folder, "data"),
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_STATE_HOME: join(folder, "state"),
  };
};

const safeHome = () => {
  try {
    return homedir();
  } catch {
    return "";
  }
};

const isWritable = (folder) => {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
