import { fileURLToPath } from "node:url";
import type { AdminConfig } from "admin-server/config";
import type { AdminOverrides } from "admin-server/start";
import { adminDefaults } from "./admin.ts";
import { type RunningProcess, startProcess } from "./process.ts";

/** The first argument of `killable-admin.mjs`. */
export interface AdminPlan extends Pick<AdminOverrides, "pollTimes" | "sendingTimes" | "alertingTimes"> {
  config: Omit<AdminConfig, "masterKey"> & { masterKey: string };
}

const main = fileURLToPath(new URL("killable-admin.mjs", import.meta.url));

/** An admin server in a process of its own. */
export function startKillableAdmin(
  changes: Partial<AdminConfig> & Pick<AdminConfig, "databaseUrl" | "masterKey">,
  times: Omit<AdminPlan, "config">,
): RunningProcess {
  const config = { ...adminDefaults, ...changes, masterKey: changes.masterKey.toString("base64") };
  return startProcess([process.execPath, main, JSON.stringify({ config, ...times } satisfies AdminPlan)]);
}
