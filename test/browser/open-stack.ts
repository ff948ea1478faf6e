import { pino } from "pino";
import { startSandbox } from "shared/sandbox/start";
import { openAdminOn } from "../support/admin/open-admin.ts";
import { testDatabase } from "../support/database/test-database.ts";
import { openGateway } from "../support/gateway/open-gateway.ts";
import { masterKey } from "../support/gateway/shop.ts";
import { buildDashboard } from "./build-dashboard.ts";

export type Stack = Awaited<ReturnType<typeof openStack>>;

/** Everything that a person meets: dashboard, admin server, gateway and sandbox, over a database without any user. */
export async function openStack() {
  const database = await testDatabase();
  const dashboard = await buildDashboard();
  const sandbox = await startSandbox({ host: "127.0.0.1", port: 0, databaseUrl: database.url, log: pino({ level: "silent" }) });
  const gateway = await openGateway(database.url, sandbox.url);
  const config = { masterKey, platformUrl: sandbox.url, isSandbox: true, publicGatewayUrl: gateway.url, allowSignUp: false };
  const admin = await openAdminOn(database.url, config, { dashboardDirectory: dashboard.directory });
  return {
    ...{ dashboard, gateway, admin },
    async [Symbol.asyncDispose]() {
      for (const part of [admin, gateway, sandbox, dashboard, database]) await part[Symbol.asyncDispose]();
    },
  };
}
