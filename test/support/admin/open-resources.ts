import { randomBytes } from "node:crypto";
import { bindingsRouter } from "admin-server/resources/bindings/router";
import type { RequestContext } from "admin-server/context";
import { eventsRouter } from "admin-server/resources/events/router";
import { notificationsRouter } from "admin-server/resources/notifications/router";
import { recipientsRouter } from "admin-server/resources/recipients/router";
import { sitesRouter } from "admin-server/resources/sites/router";
import { templatesRouter } from "admin-server/resources/templates/router";
import { router } from "admin-server/trpc";
import type { Role } from "shared/core/input/role";
import { newId } from "shared/db/new-id";
import { createPlatformClient } from "shared/platform/client";
import { createLogger } from "shared/server/logger";
import { createVault } from "shared/vault/vault";
import { testDatabase } from "../database/test-database.ts";

const resources = router({
  sites: sitesRouter,
  recipients: recipientsRouter,
  templates: templatesRouter,
  bindings: bindingsRouter,
  events: eventsRouter,
  notifications: notificationsRouter,
});

export type ResourceCaller = ReturnType<typeof resources.createCaller>;
export type OpenResources = Awaited<ReturnType<typeof openResources>>;

/** The resources' procedures over a database of their own, without HTTP. `platformUrl`: where the platform is to be found. */
export async function openResources({ platformUrl = "http://127.0.0.1:9" }: { platformUrl?: string } = {}) {
  const database = await testDatabase();
  const platform = createPlatformClient({ baseUrl: platformUrl });
  const vault = createVault(randomBytes(32));
  const server: Partial<RequestContext> = {
    sql: database.sql,
    vault,
    platform,
    log: createLogger("test", "silent"),
    clock: () => new Date(),
    stopping: new AbortController().signal,
    address: "127.0.0.1",
    isLocal: true,
  };

  return {
    sql: database.sql,
    vault,
    /** A new account and its procedures, called by one of `role`. */
    async account(role: Role = "operator"): Promise<{ accountId: string; as: (role: Role) => ResourceCaller } & ResourceCaller> {
      const accountId = newId();
      const userId = newId();
      await database.sql`insert into account (id, name, verify_token) values (${accountId}, 'Test', 'verify')`;
      await database.sql`insert into app_user (id, account_id, email, name, role, password_hash)
        values (${userId}, ${accountId}, ${`${userId}@test.example`}, 'Tester', ${role}, 'x')`;
      const as = (callerRole: Role) => {
        const caller = { userId, accountId, role: callerRole, email: "a@test.example", name: "Tester", via: { kind: "session", token: "t" } };
        return resources.createCaller({ ...server, caller } as RequestContext);
      };
      return { accountId, as, ...as(role) };
    },
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
