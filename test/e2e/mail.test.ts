import { expect, it } from "vitest";
import { openAdminOn } from "../support/admin.ts";
import { testDatabase } from "../support/database.ts";
import { masterKey } from "../support/gateway.ts";
import { startKillableAdmin } from "../support/killable-admin.ts";
import { headerOf, startMailServer } from "../support/mail-server.ts";
import { waitFor } from "../support/wait-for.ts";

it("an admin server that is killed while a mail leaves has it sent again under the same Message-ID by the next, and loses none", async () => {
  await using database = await testDatabase();
  await using mails = await startMailServer();
  let asked = 0;
  // The mail server is about to take the mail, and its answer never comes.
  mails.script(async () => ((asked += 1) === 1 ? new Promise(() => undefined) : Promise.resolve(null)));
  const sendingTimes = { tickMs: 20, leaseMs: 4_000, scale: 1 };
  const quiet = await openAdminOn(database.url, { masterKey, mail: mails.config }, { sendingTimes: { tickMs: 2 ** 31 - 1 } });
  const { client } = await quiet.signUp();
  // The mail that has the owner prove the address is another's story.
  await database.sql`delete from outbox`;
  const { token } = await client.users.invite.mutate({ email: "ann@example.com", role: "viewer" });
  await quiet[Symbol.asyncDispose]();
  const [row] = await database.sql<{ id: string; status: string }[]>`select id, status from outbox`;
  expect(row?.status).toBe("pending");

  await using killed = startKillableAdmin({ databaseUrl: database.url, masterKey, mail: mails.config }, { sendingTimes });
  await waitFor("the mail under way", () => asked === 1 || !killed.isRunning(), 60_000);
  expect(await killed.kill("SIGKILL")).toMatchObject({ signal: "SIGKILL" });
  const [held] = await database.sql<{ until: Date }[]>`select lease_until as until from outbox where owner is not null`;
  expect(held).toBeDefined();

  await using other = await openAdminOn(database.url, { masterKey, mail: mails.config }, { sendingTimes });
  const [mail] = await mails.mailsTo("ann@example.com");
  expect(mail && headerOf(mail, "message-id")).toBe(`<${row?.id}@admin.example>`);
  expect(mail?.body).toContain(token);
  await waitFor(
    "the end of it",
    async () => (await database.sql`select from outbox where status = 'sent' and content is null`).length === 1,
  );
  expect(mails.received).toHaveLength(1);
  expect((await other.fetch("/healthz")).status).toBe(200);
});
