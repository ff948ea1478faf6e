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
  await using started = new AsyncDisposableStack();
  const database = started.use(await testDatabase());
  const dashboard = started.use(await buildDashboard());
  const sandbox = started.use(await startSandbox({ host: "127.0.0.1", port: 0, databaseUrl: database.url, log: pino({ level: "silent" }) }));
  const gateway = started.use(await openGateway(database.url, sandbox.url));
  const config = { masterKey, platformUrl: sandbox.url, isSandbox: true, publicGatewayUrl: gateway.url, allowSignUp: false };
  const admin = started.use(await openAdminOn(database.url, config, { dashboardDirectory: dashboard.directory }));
  const kept = started.move();
  return { dashboard, gateway, admin, [Symbol.asyncDispose]: async () => kept.disposeAsync() };
}
