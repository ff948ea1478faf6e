import type { AdminConfig } from "admin-server/config";
import { startAdminServer } from "admin-server/start";
import type { GatewayConfig } from "gateway/config";
import { startGateway } from "gateway/start";
import { pino } from "pino";

/** What the parent hands over as the first argument: the configuration of either server, with the master key in base64. */
export type ServedPlan =
  | { server: "gateway"; config: Omit<GatewayConfig, "masterKey">; masterKey: string }
  | { server: "admin"; config: Omit<AdminConfig, "masterKey">; masterKey: string };

/** A server alone in its process, which says what it holds in memory and, on stderr, whatever nobody foresaw. */
const plan = JSON.parse(process.argv[2] ?? "") as ServedPlan;
const log = pino({ level: "error" }, { write: (line: string) => void process.stderr.write(line) });
const masterKey = Buffer.from(plan.masterKey, "base64");
const { url } =
  plan.server === "gateway"
    ? await startGateway({ ...plan.config, masterKey }, { log })
    : await startAdminServer({ ...plan.config, masterKey }, { log });
process.stdout.write(`${url}\n`);
process.on("disconnect", () => process.exit());
process.on("message", () => {
  // Twice: what the first frees may let go of more.
  globalThis.gc?.();
  globalThis.gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
