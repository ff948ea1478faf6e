import { startAdminServer } from "admin-server/start";
import { pino } from "pino";

/**
 * An admin server in a process of its own, which can be killed.
 * @type {import("./killable-admin.ts").AdminPlan}
 */
const { config, ...times } = JSON.parse(process.argv[2] ?? "");
const server = await startAdminServer(
  { ...config, masterKey: Buffer.from(config.masterKey, "base64") },
  { log: pino({ level: "silent" }), ...times },
);
process.stdout.write(`${server.url}\n`);
