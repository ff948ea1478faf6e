import { randomBytes } from "node:crypto";
import type { Gateway } from "gateway/start";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { masterKey, openGateway } from "../support/gateway.ts";
import { startScriptedPlatform } from "../support/platform.ts";

export interface Installation {
  database: TestDatabase;
  gateway: Gateway;
  key: Buffer;
}

/** Two installations, with keys of their own unless one is given, and one platform. */
export async function twoCells(otherKey = randomBytes(32)) {
  const platform = await startScriptedPlatform();
  const open = async (cell: string, key: Buffer): Promise<Installation> => {
    const database = await testDatabase();
    return { database, gateway: await openGateway(database.url, platform.url, { cell, masterKey: key }), key };
  };
  const cells: [Installation, Installation] = [await open("c1", masterKey), await open("c2", otherKey)];
  return {
    cells,
    platform,
    async [Symbol.asyncDispose]() {
      for (const { gateway } of cells) await gateway[Symbol.asyncDispose]();
      for (const { database } of cells) await database[Symbol.asyncDispose]();
      await platform[Symbol.asyncDispose]();
    },
  };
}
