import { demoPayload } from "admin-server/cli/demo";
import { makeDemo } from "admin-server/cli/demo";
import { pino } from "pino";
import { startSandbox } from "shared/sandbox/start";
import { openAdminOn } from "../support/admin.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { openGateway } from "../support/gateway.ts";
import { masterKey } from "../support/gateway.ts";
import { postEvent } from "../support/requests.ts";
import { owner } from "./as-a-person.ts";
import { buildDashboard } from "./build-dashboard.ts";

export type Stack = Awaited<ReturnType<typeof openStack>>;

/** Everything that a person meets: dashboard, admin server, gateway and sandbox, over a database without any user. */
export async function openStack() {
  const database = await testDatabase();
  const stack = await openStackOn(database);
  return {
    ...stack,
    async [Symbol.asyncDispose]() {
      for (const part of [stack, database]) await part[Symbol.asyncDispose]();
    },
  };
}

/** The same over a given database, which outlasts it. `allowSignUp`: whether there may be more accounts than the first. */
export async function openStackOn(database: Pick<TestDatabase, "url" | "sql">, { allowSignUp = false } = {}) {
  const dashboard = await buildDashboard();
  const sandbox = await startSandbox({ host: "127.0.0.1", port: 0, databaseUrl: database.url, log: pino({ level: "silent" }) });
  const gateway = await openGateway(database.url, sandbox.url);
  const config = { masterKey, platformUrl: sandbox.url, isSandbox: true, publicGatewayUrl: gateway.url, allowSignUp };
  const admin = await openAdminOn(database.url, config, { dashboardDirectory: dashboard.directory });
  return {
    dashboard,
    sandbox,
    gateway,
    admin,
    sql: database.sql,
    async [Symbol.asyncDispose]() {
      for (const part of [admin, gateway, sandbox, dashboard]) await part[Symbol.asyncDispose]();
    },
  };
}

/** Gives the owner, who exists, a shop with a template and a binding, and posts one order to it. Answers what the gateway answered. */
export async function sendFirstMessage({ admin, gateway }: Stack): Promise<Record<string, unknown>> {
  const { shop } = await makeDemo(admin.url, { owner, password: "", setupCode: "" });
  const { json } = await postEvent(gateway, { key: shop.apiKey, secret: shop.webhookSecret }, demoPayload);
  return json;
}
