import { masterKey, type Shop } from "../../support/gateway/shop.ts";
import { type BenchProcess, type ProcessOptions, startProcess } from "./bench-process.ts";

interface Surroundings {
  databaseUrl: string;
  platformUrl: string;
}

/** The gateway as it runs in production, built, pinned to the first core unless another is named. */
export const startGateway = async (
  { databaseUrl, platformUrl }: Surroundings,
  options: Pick<ProcessOptions, "core" | "inspect"> = {},
): Promise<BenchProcess> =>
  await startProcess("gateway/dist/main.js", {
    core: 0,
    ...options,
    env: {
      DATABASE_URL: databaseUrl,
      PLATFORM_API_URL: platformUrl,
      MASTER_KEY: masterKey.toString("base64"),
      GATEWAY_PORT: "0",
      HOST: "127.0.0.1",
      PUBLIC_GATEWAY_URL: "http://127.0.0.1",
    },
    urlOf: urlInLog,
  });

/** (a), or with its inserts grouped (b): see `reference-server.ts`. */
export const startReference = async ({ databaseUrl, platformUrl }: Surroundings, shop: Shop, grouped: boolean): Promise<BenchProcess> =>
  await startProcess("test/bench/reference-server.ts", {
    core: 0,
    env: { DATABASE_URL: databaseUrl, PLATFORM_API_URL: platformUrl, SECRET: shop.secret, GROUPED: grouped ? "1" : "" },
  });

/** A platform that accepts everything after so many milliseconds. */
export const startPlatform = async (delayMs = 0): Promise<BenchProcess> =>
  await startProcess("test/bench/instant-platform.ts", { core: 1, env: { DELAY_MS: String(delayMs) } });

function urlInLog(line: string): string | null {
  const entry = JSON.parse(line) as { msg?: string; url?: string };
  return entry.msg === "listening" ? (entry.url ?? null) : null;
}
