import { forgetExpiredKeys } from "shared/db/event/answer";
import { makePartitions } from "shared/db/migrate";
import { forgetEndedSecrets } from "shared/db/site-secret";
import { repeat } from "shared/server/retry";
import type { GatewayContext } from "./context.ts";

/** Periodic clean-up for all gateways; harmless when several do it at once. The answer stops it. */
export function startHousekeeping({ sql, config, log }: GatewayContext): () => Promise<void> {
  const { forgetMs, partitionsMs } = config.timeLimits;
  const stops = [
    repeat(() => forgetExpiredKeys(sql), forgetMs, log),
    repeat(() => makePartitions(sql), partitionsMs, log),
    repeat(() => forgetEndedSecrets(sql), partitionsMs, log),
  ];
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}
