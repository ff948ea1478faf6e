import type { GatewayConfig } from "gateway/config";
import { startGateway } from "gateway/start";
import { pino } from "pino";

/** What the parent hands over as the first argument. */
export interface CrashPlan {
  config: Omit<GatewayConfig, "masterKey"> & { masterKey: string };
  /** The process kills itself when it comes to this step for the nth time; null: never. */
  crash: { step: "claim" | "dispatch" | "settle"; nth: number } | null;
}

/** A gateway that ends like one that is hit by kill -9 between two lines. */
const { config, crash } = JSON.parse(process.argv[2] ?? "") as CrashPlan;
let seen = 0;
const gateway = await startGateway(
  { ...config, masterKey: Buffer.from(config.masterKey, "base64") },
  {
    log: pino({ level: "silent" }),
    onStep: (step) => {
      if (step === crash?.step && (seen += 1) === crash.nth) process.kill(process.pid, "SIGKILL");
    },
  },
);
process.stdout.write(`${gateway.url}\n`);
process.on("disconnect", () => process.exit());
