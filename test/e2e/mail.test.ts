import { newId } from "shared/db/ids";
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

it("an admin server that is killed while it looks for alerts leaves the look to the next, which tells what it finds once", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using mails = await startMailServer();
  const [sendingTimes, never] = [{ tickMs: 20, leaseMs: 4_000, scale: 1 }, { tickMs: 2 ** 31 - 1 }];
  const looking = { tickMs: 50, told: 1, untold: 1, lease: 4 };
  const config = { masterKey, mail: mails.config };
  const quiet = await openAdminOn(database.url, config, { sendingTimes, alertingTimes: never });
  const { client } = await quiet.signUp();
  await client.alerts.addChannel.mutate({ kind: "email", address: "ops@example.com" });
  const [link] = await mails.mailsTo("ops@example.com");
  await client.alerts.confirm.mutate({ token: /confirm-alerts#(\w+)/.exec(link?.body ?? "")?.[1] ?? "" });
  await quiet[Symbol.asyncDispose]();
  const { id } = (await sql<[{ id: string }]>`select id from account`)[0];
  const template = { id: newId(), account_id: id, name: "refused_one", language: "en", category: "UTILITY", status: "rejected" };
  await sql`insert into template ${sql({ ...template, definition: sql.json({}) })}`;

  await sql.begin(async (held) => {
    await held`lock table recipient_turn in access exclusive mode`;
    await using killed = startKillableAdmin({ databaseUrl: database.url, ...config }, { sendingTimes, alertingTimes: looking });
    const waits = async () => (await sql`select from pg_locks where not granted and relation = 'recipient_turn'::regclass`).length > 0;
    await waitFor("the look under way", async () => !killed.isRunning() || (await waits()), 60_000);
    expect(await killed.kill("SIGKILL")).toMatchObject({ signal: "SIGKILL" });
  });
  await using one = await openAdminOn(database.url, config, { sendingTimes, alertingTimes: looking });
  await using other = await openAdminOn(database.url, config, { sendingTimes, alertingTimes: looking });
  expect((await mails.mailsTo("ops@example.com", 2))[1]?.body).toContain("The template refused_one (en) is rejected");
  await sql`update template set status = 'approved'`;
  expect((await mails.mailsTo("ops@example.com", 3))[2]?.body).toContain("Resolved: The template refused_one");
  for (const server of [one, other]) expect((await server.fetch("/healthz")).status).toBe(200);
  expect(await mails.mailsTo("ops@example.com", 3)).toHaveLength(3);
});
