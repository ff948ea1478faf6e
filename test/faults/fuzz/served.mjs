import { startAdminServer } from "admin-server/start";
import { startGateway } from "gateway/start";
import { pino } from "pino";

/**
 * A server alone in its process, which says what it holds in memory and, on stderr, whatever nobody foresaw.
 * @type {import("./world.ts").ServedPlan}
 */
const plan = JSON.parse(process.argv[2] ?? "");
const log = pino({ level: "error" }, { write: (line) => void process.stderr.write(line) });
const masterKey = Buffer.from(plan.masterKey, "base64");
const start = plan.server === "gateway" ? startGateway : startAdminServer;
const { url } = await start({ ...plan.config, masterKey }, { log });
process.stdout.write(`${url}\n`);
process.on("disconnect", () => process.exit());
process.on("message", () => {
  // Twice: what the first frees may let go of more.
  globalThis.gc?.();
  globalThis.gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
