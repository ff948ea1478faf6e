import type { Gateway } from "gateway/start";
import type { TimeLimits } from "gateway/time-limits";
import type { Pool } from "shared/db/statement";
import { afterEach } from "vitest";
import { testDatabase } from "./database.ts";
import { openGateway } from "./gateway.ts";
import { newMessageId, type ScriptedPlatform, startScriptedPlatform } from "./platform.ts";
import { shared } from "./shared.ts";

/** The parts that the tests of a file share: a gateway in this process, its database, and a platform that forgets between tests. */
export interface GatewayWorld {
  readonly sql: Pool;
  readonly databaseUrl: string;
  readonly platform: ScriptedPlatform;
  readonly gateway: Gateway;
}

/** To be called where a file's tests are described; its result is usable once they run. */
export function gatewayWorld(timeLimits: Partial<TimeLimits> = {}): GatewayWorld {
  const database = shared(async () => testDatabase());
  const platform = shared(async () => startScriptedPlatform());
  const gateway = shared(async () => openGateway(database.url, platform.url, {}, timeLimits));
  afterEach(() => {
    platform.script(newMessageId);
    platform.sends.splice(0);
  });
  return {
    get sql() {
      return database.sql;
    },
    get databaseUrl() {
      return database.url;
    },
    platform,
    gateway,
  };
}
