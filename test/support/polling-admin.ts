import type { AdminConfig } from "admin-server/config";
import type { PollTimes } from "admin-server/jobs/template-poll";
import { startAdminServer } from "admin-server/start";
import { pino } from "pino";

/** What the parent hands over as the first argument. */
export interface PollingPlan {
  config: Omit<AdminConfig, "masterKey"> & { masterKey: string };
  pollTimes: PollTimes;
}

// An admin server in a process of its own, which can be killed.
const { config, pollTimes } = JSON.parse(process.argv[2] ?? "") as PollingPlan;
const server = await startAdminServer(
  { ...config, masterKey: Buffer.from(config.masterKey, "base64") },
  { log: pino({ level: "silent" }), pollTimes },
);
process.stdout.write(`${server.url}\n`);
