import { randomBytes } from "node:crypto";
import { BlockList } from "node:net";
import type { AdminConfig } from "admin-server/config";
import type { RequestContext } from "admin-server/context";
import { createLearner } from "admin-server/learning/learner";
import { appRouter } from "admin-server/router";
import type { Role } from "shared/core/role";
import { newId } from "shared/db/ids";
import { createPlatformClient } from "shared/platform/client";
import { createManagementClient } from "shared/platform/management-client";
import { createVault } from "shared/secrets/vault";
import { createLogger } from "shared/server/logger";
import { testDatabase } from "../database/test-database.ts";

export type ResourceCaller = ReturnType<typeof appRouter.createCaller>;
export type OpenResources = Awaited<ReturnType<typeof openResources>>;

/** The procedures over a database of their own, without HTTP. `platformUrl`: where the platform is to be found. */
export async function openResources({ platformUrl = "http://127.0.0.1:9" }: { platformUrl?: string } = {}) {
  const database = await testDatabase();
  const platform = createPlatformClient({ baseUrl: platformUrl });
  const management = createManagementClient({ baseUrl: platformUrl });
  const allowPrivate = new BlockList();
  allowPrivate.addSubnet("127.0.0.0", 8);
  const vault = createVault(randomBytes(32));
  const log = createLogger("test", "silent");
  const stopping = new AbortController().signal;
  const server: Partial<RequestContext> = {
    sql: database.sql,
    learner: createLearner({ sql: database.sql, log, stopping }),
    vault,
    platform,
    management,
    config: { allowPrivate } as AdminConfig,
    log,
    clock: () => new Date(),
    stopping,
    address: "127.0.0.1",
    userAgent: "test",
    isLocal: true,
  };

  return {
    sql: database.sql,
    vault,
    /** A new account; `api` are the procedures as one of `role` calls them. */
    async account(role: Role = "operator"): Promise<{ accountId: string; api: ResourceCaller; as: (role: Role) => ResourceCaller }> {
      const accountId = newId();
      const userId = newId();
      await database.sql`insert into account (id, name, verify_token) values (${accountId}, 'Test', 'verify')`;
      await database.sql`insert into app_user (id, account_id, email, name, role, password_hash)
        values (${userId}, ${accountId}, ${`${userId}@test.example`}, 'Tester', ${role}, 'x')`;
      const as = (callerRole: Role) => {
        const caller = {
          userId,
          accountId,
          role: callerRole,
          email: "a@test.example",
          name: "Tester",
          via: { kind: "session", token: "t" },
        };
        return appRouter.createCaller({ ...server, caller } as RequestContext);
      };
      return { accountId, api: as(role), as };
    },
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]();
      await management[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
