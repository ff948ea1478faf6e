import type { Gateway } from "gateway/start";
import type { TimeLimits } from "gateway/time-limits";
import type { Pool } from "shared/db/statement";
import { afterAll, afterEach, beforeAll } from "vitest";
import { testDatabase, type TestDatabase } from "./database.ts";
import { openGateway } from "./gateway.ts";
import { newMessageId, type ScriptedPlatform, startScriptedPlatform } from "./platform.ts";

/** The parts that the tests of a file share: a gateway in this process, its database, and a platform that forgets between tests. */
export interface GatewayWorld {
  readonly sql: Pool;
  readonly databaseUrl: string;
  readonly platform: ScriptedPlatform;
  readonly gateway: Gateway;
}

/** To be called where a file's tests are described; its result is usable once they run. */
export function gatewayWorld(timeLimits: Partial<TimeLimits> = {}): GatewayWorld {
  let database: TestDatabase;
  let platform: ScriptedPlatform;
  let gateway: Gateway;
  beforeAll(async () => {
    database = await testDatabase();
    platform = await startScriptedPlatform();
    gateway = await openGateway(database.url, platform.url, {}, timeLimits);
  });
  afterEach(() => {
    platform.script(newMessageId);
    platform.sends.splice(0);
  });
  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]();
    await platform?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });
  return {
    get sql() {
      return database.sql;
    },
    get databaseUrl() {
      return database.url;
    },
    get platform() {
      return platform;
    },
    get gateway() {
      return gateway;
    },
  };
}
