import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../support/process.ts";

export interface DashboardBuild extends AsyncDisposable {
  /** Where `index.html` lies. */
  directory: string;
  /** What the build printed. */
  output: string;
}

/** The dashboard as it is served, built from its sources as they are, into a folder of its own. */
export async function buildDashboard(): Promise<DashboardBuild> {
  const directory = await mkdtemp(join(tmpdir(), "tidings-dashboard-"));
  const vite = join(ROOT, "admin-web/node_modules/vite/bin/vite.js");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [vite, "build", "--outDir", directory, "--emptyOutDir", "--logLevel", "warn"],
    {
      cwd: join(ROOT, "admin-web"),
      env: { ...process.env, NODE_ENV: "production" },
    },
  );
  return { directory, output: stdout, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) };
}
