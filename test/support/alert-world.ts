import { randomBytes } from "node:crypto";
import type { AdminConfig } from "admin-server/config";
import { type AlertingContext, defaultAlertingTimes, watchAccounts } from "admin-server/problems/watch";
import { createVault } from "shared/secrets/vault";
import { createLogger } from "shared/server/logger";
import { openAdmin, type OpenAdmin } from "./admin.ts";
import { loopback } from "./gateway.ts";
import { type MailServer, startMailServer } from "./mail-server.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { waitFor } from "./wait-for.ts";

export interface AlertWorld extends AsyncDisposable {
  admin: OpenAdmin;
  mails: MailServer;
  /** The receiver of requests to Slack, or a webhook. */
  receiver: Receiver;
  /** The context in which a server looks. */
  context: AlertingContext;
  /** Looks at every account now, once. */
  look(): Promise<void>;
  /** Waits until nothing that is due waits to be sent. */
  settled(): Promise<void>;
}

/** An admin server that looks for alerts only on the test's call, with a mail server and a receiver on loopback. */
export async function openAlertWorld(): Promise<AlertWorld> {
  const [mails, receiver, masterKey] = [await startMailServer(), await startReceiver(), randomBytes(32)];
  const config: Partial<AdminConfig> = { mail: mails.config, masterKey, allowPrivate: loopback, pagerDutyUrl: receiver.url };
  const admin = await openAdmin(config, { sendingTimes: { tickMs: 50, scale: 0.001 } });
  const context: AlertingContext = {
    sql: admin.sql,
    vault: createVault(masterKey),
    config: { publicAdminUrl: "http://admin.example" } as AdminConfig,
    clock: () => new Date(),
    log: createLogger("test", "silent"),
    stopping: new AbortController().signal,
  };
  return {
    admin,
    mails,
    receiver,
    context,
    look: async () => {
      await admin.sql`update alert_watch set due_at = now()`;
      await watchAccounts(context, defaultAlertingTimes);
    },
    settled: async () =>
      void (await waitFor("the outbox", async () => (await admin.sql`select from outbox where status = 'pending'`).length === 0)),
    [Symbol.asyncDispose]: async () => {
      for (const part of [admin, mails, receiver]) await part[Symbol.asyncDispose]();
    },
  };
}
