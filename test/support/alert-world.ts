import { randomBytes } from "node:crypto";
import type { AdminConfig } from "admin-server/config";
import { type AlertingContext, defaultAlertingTimes, watchAccounts } from "admin-server/problems/watch";
import { watchNewAccounts } from "shared/db/alert/watch";
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
  /** Ends the looks at every account that there is: those of other tests are not looked at with the test's own. */
  forgetOthers(): Promise<void>;
  /** Lets every account that is not forgotten be due for a look. */
  makeDue(): Promise<void>;
  /** Looks at each of them now, once. */
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
  const makeDue = async () => void (await admin.sql`update alert_watch set due_at = now() where due_at <> 'infinity'`);
  return {
    admin,
    mails,
    receiver,
    context,
    forgetOthers: async () => {
      await watchNewAccounts(admin.sql);
      await admin.sql`update alert_watch set due_at = 'infinity'`;
    },
    makeDue,
    look: async () => {
      await makeDue();
      await watchAccounts(context, defaultAlertingTimes);
    },
    settled: async () =>
      void (await waitFor("the outbox", async () => (await admin.sql`select from outbox where status = 'pending'`).length === 0)),
    [Symbol.asyncDispose]: async () => {
      for (const part of [admin, mails, receiver]) await part[Symbol.asyncDispose]();
    },
  };
}
