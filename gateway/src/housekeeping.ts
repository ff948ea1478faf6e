import { forgetExpiredKeys } from "shared/db/event/answer";
import { makePartitions } from "shared/db/migrate";
import { forgetEndedSecrets } from "shared/db/site-secret";
import { repeat } from "shared/server/retry";
import type { GatewayContext } from "./context.ts";

/** What any gateway does now and then for all of them; harmless when several do. The answer stops it. */
export function keepHouse({ sql, config, log }: GatewayContext): () => Promise<void> {
  const { forgetMs, partitionsMs } = config.timeLimits;
  const stops = [
    repeat(() => forgetExpiredKeys(sql), forgetMs, log),
    repeat(() => makePartitions(sql), partitionsMs, log),
    repeat(() => forgetEndedSecrets(sql), partitionsMs, log),
  ];
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}
