import { insertAuditEntry } from "shared/db/audit";
import { inTransaction } from "shared/db/statement";
import { readRowCodec, setEncryption } from "shared/sealing/account-rows";
import { encryptPage } from "shared/sealing/encrypt-stored";
import { beforeAll, describe, expect, it } from "vitest";
import { idAt, insertEvent, insertNotification } from "../../../test/support/admin-shops.ts";
import { addMember, openAdmin, type OpenAdmin } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { vault } from "../../../test/support/gateway.ts";
import { shared } from "../../../test/support/shared.ts";
import type { AdminContext } from "../context.ts";
import type { Caller } from "../session/caller.ts";
import { notificationsCsv } from "./exports.ts";

const header =
  "id,time,site,event,event_id,template,language,phone,status,message_id,error_code,error_reason,sent,delivered,read,failed,resend_of";

const admin = shared(async () => openAdmin());

describe("GET /export/notifications.csv", () => {
  async function openLog() {
    const owner = await admin.signUp();
    const accountId = (await owner.client.auth.me.query()).account.id;
    const { site } = await owner.client.sites.create.mutate({ name: "A", url: "https://shop.example", sourceType: "generic" });
    const eventId = await insertEvent(admin.sql, site.id);
    const add = async (columns: Parameters<typeof insertNotification>[2]) =>
      insertNotification(admin.sql, { accountId, siteId: site.id, eventId }, columns);
    const get = (query = "", token = owner.token) =>
      admin.fetch(`/export/notifications.csv${query}`, { headers: { authorization: `Bearer ${token}` } });
    const lines = async (query = "", token = owner.token) => (await (await get(query, token)).text()).trimEnd().split("\n");
    return { ...owner, accountId, siteId: site.id, eventId, add, get, lines };
  }

  it("takes the list's filters, and is all of it however long it is", async () => {
    const { accountId, siteId, eventId, lines } = await openLog();
    await admin.sql`
      insert into notification (id, site_id, account_id, event_id, event, binding_id, template_id, template, language, to_phone, position, status, components, error_code)
      select encode(substring(uuid_send(uuid_at(timestamptz '2026-01-01' + n * interval '1 minute')) for 8) || int8send(n), 'hex')::uuid, ${siteId}, ${accountId},
        ${eventId}, 'order.created', ${siteId}, ${siteId}, 't' || n % 2, 'en', '+4917' || 1000000 + n % 10, 0,
        case when n % 5 = 0 then 'failed' else 'sent' end::notification_status, '[]', case when n % 5 = 0 then '131026' end
      from generate_series(1, 1700::bigint) n`;
    const rows = async (query: string) => (await lines(query)).slice(1);
    const all = await rows("");
    expect(new Set(all).size).toBe(1700);
    expect(all.map((line) => line.slice(0, 36))).toEqual(
      all
        .map((line) => line.slice(0, 36))
        .toSorted()
        .toReversed(),
    );
    expect(await rows("?status=failed")).toHaveLength(340);
    expect(await rows("?template=t1&status=failed")).toHaveLength(170);
    expect(await rows(`?search=${encodeURIComponent("+49171000003")}&event=order.created&siteId=${siteId}`)).toHaveLength(170);
    expect(await rows("?from=2026-01-01T00:01:00Z&to=2026-01-01T00:03:00Z&status=")).toHaveLength(3);
    expect(await rows("?errorCode=131049")).toEqual([]);
    expect(await rows("?errorCodes=131049,131026")).toHaveLength(340);
  });

  it("takes a proof of people for more than 1,000 messages, whatever the filter says, and none for fewer", async () => {
    const { accountId, siteId, eventId, get, client } = await openLog();
    await admin.sql`
      insert into notification (id, site_id, account_id, event_id, event, binding_id, template_id, template, language, to_phone, position, status, components, test)
      select encode(substring(uuid_send(uuid_at(timestamptz '2026-01-01' + n * interval '1 minute')) for 8) || int8send(n), 'hex')::uuid, ${siteId}, ${accountId},
        ${eventId}, 'order.created', ${siteId}, ${siteId}, 't', 'en', '+491701000000', 0, 'sent', '[]', n = 1
      from generate_series(1, 1001::bigint) n`;
    const { token: program } = await client.tokens.create.mutate({ name: "Reader", role: "viewer" });
    expect((await get("?from=2000-01-01")).status).toBe(200);
    await admin.sql`update user_session set proven_at = now() - interval '11 minutes'`;
    const whole = await get("?from=2000-01-01");
    expect([whole.status, (await whole.json()) as unknown]).toEqual([
      403,
      { error: expect.stringContaining("Confirm that it is you") as string },
    ]);
    expect((await get("?from=2000-01-01&test=false")).status).toBe(200);
    expect((await get("?from=2000-01-01&test=true")).status).toBe(200);
    expect((await get("?from=2000-01-01", program)).status).toBe(200);
  });

  it("a member that is no filter is named, also one that objects have by themselves", async () => {
    const { get } = await openLog();
    for (const name of ["siteID", "__proto__"]) {
      const answer = await get(`?${name}=x`);
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(name)]);
    }
  });

  it("goes on when its account begins to encrypt", async () => {
    const { sql } = admin;
    const { accountId, siteId, eventId } = await openLog();
    const phone = "+491701000000";
    await sql`
      insert into notification (id, site_id, account_id, event_id, event, binding_id, template_id, template, language, to_phone, position, status, components)
      select uuid_at(now() - n * interval '1 minute'), ${siteId}, ${accountId}, ${eventId}, 'order.created', ${siteId}, ${siteId}, 't', 'en', ${phone}, 0, 'sent', '[]'
      from generate_series(1, 600) n`;
    const found: (string | undefined)[] = [];
    for await (const { to_phone } of notificationsCsv.rows(
      { sql, vault } as unknown as AdminContext,
      { accountId, role: "owner" } as Caller,
      { phone },
    )) {
      if (found.push(to_phone) > 1) continue;
      await inTransaction(sql, async (transaction) => setEncryption(transaction, vault, accountId, true));
      const rows = await readRowCodec(sql, vault, accountId);
      const step = { table: "notification", siteId };
      for (let after: string | null = "00000000-0000-0000-0000-000000000000"; after !== null;)
        after = (await encryptPage(sql, rows, { step, accountId, after })).next;
    }
    expect([found.length, new Set(found)]).toEqual([600, new Set([phone])]);
  });

  it("is for everybody who is signed in, with phones masked for those who only look", async () => {
    const { client, add, get, lines, siteId } = await openLog();
    await add({ error_code: "131026", status: "failed", error_reason: "to +491701234567" });
    const viewer = await addMember(admin, client, "viewer", "viewer@example.com");
    const seen = (await lines("", viewer.token)).join("\n");
    expect(seen).toContain("•••67");
    expect(seen).not.toContain("1701234567");
    const stranger = await openLog();
    expect([
      (await admin.fetch("/export/notifications.csv")).status,
      (await get("?phone=%2B491701234567", viewer.token)).status,
      (await get("?search=%2B491701234567", viewer.token)).status,
      (await get("?status=lost")).status,
      (await get(`?siteId=${siteId}`, stranger.token)).status,
      (await get("", stranger.token)).status,
    ]).toEqual([401, 403, 403, 400, 404, 200]);
    expect(await lines("", stranger.token)).toEqual([header]);
  });
});

describe("GET /export/audit.csv", () => {
  let owner: Awaited<ReturnType<OpenAdmin["signUp"]>>;
  beforeAll(async () => {
    owner = await admin.signUp("ann@example.com");
  });
  const get = (query = "", headers: Record<string, string> = { authorization: `Bearer ${owner.token}` }) =>
    admin.fetch(`/export/audit.csv${query}`, { headers });

  it("is the list as a file", async () => {
    const { items } = await owner.client.audit.list.query();
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="audit.csv"');
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    const [item] = items;
    expect(await answer.text()).toBe(
      `time,actor,token,action,subject,address\n${item?.createdAt},ann@example.com,,auth.signUp,${owner.user.id},127.0.0.1\n`,
    );
  });

  it("takes the list's filters, and is all of it however long it is", async () => {
    const { client, token, email } = await admin.signUp();
    const accountId = (await client.auth.me.query()).account.id;
    await admin.sql`
      insert into audit_entry (id, account_id, actor, action)
      select encode(substring(uuid_send(uuid_at(timestamptz '2026-01-01' + n * interval '1 minute')) for 8) || int8send(n), 'hex')::uuid,
        ${accountId}, 'often@example.com', 'sites.update' from generate_series(1, 1500::bigint) n`;
    const lines = async (query: string) =>
      (await (await get(query, { authorization: `Bearer ${token}` })).text()).trimEnd().split("\n").slice(1);
    expect(new Set(await lines("")).size).toBe(1501);
    expect(await lines("?actor=OFTEN@example.com&action=sites.update")).toHaveLength(1500);
    expect(await lines("?from=2026-01-01T00:01:00Z&to=2026-01-01T00:03:00Z")).toHaveLength(3);
    // The entries are the sign-up and the three files before this one.
    expect(await lines(`?actor=${email}&action=&from=&to=`)).toHaveLength(4);
    expect((await client.audit.list.query({ action: "export.audit.csv", limit: 1 })).items[0]?.changes).toEqual([
      { member: "actor", kept: "values", after: email },
    ]);
    expect(await lines("?to=2025-12-31")).toEqual([]);
  });

  it("runs nothing in a spreadsheet", async () => {
    const { client, token } = await admin.signUp();
    const account_id = (await client.auth.me.query()).account.id;
    const entry = { actor_id: null, token_id: null, action: "sites.update", subject: null, address: null };
    await insertAuditEntry(admin.sql, { ...entry, id: idAt(Date.now()), account_id, actor: '=cmd|"/c calc"!A1' });
    const text = await (await get("", { authorization: `Bearer ${token}` })).text();
    expect(text).toContain(`"'=cmd|""/c calc""!A1"`);
  });

  it("is for owners, by cookie or token, and not for other pages", async () => {
    const operator = await addMember(admin, owner.client, "operator", "op@example.com");
    const cookie = { cookie: `tidings_session=${owner.token}` };
    const statuses = [
      await get("", {}),
      await get("", { authorization: "Bearer made-up" }),
      await get("", { authorization: `Bearer ${operator.token}` }),
      await get("", cookie),
      await get("", { ...cookie, origin: "https://evil.example" }),
      await get("", { ...cookie, "sec-fetch-site": "cross-site" }),
      await get("?from=yesterday"),
      await get("?actor=a&actor=b"),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 401, 403, 200, 403, 403, 400, 400]);
    expect(await (await get("", {})).json()).toEqual({ error: "Sign in first" });
    const wrong = (await (await get("?from=yesterday")).json()) as { error: string };
    expect(wrong.error).toMatch(/^from: Must be a time/);
    expect((await admin.fetch("/export/other.csv", { headers: { authorization: `Bearer ${owner.token}` } })).status).toBe(404);
  });

  it("answers with the reason when the list cannot be read", async () => {
    await admin.owner`alter table audit_entry rename to audit_entry_gone`;
    try {
      const answer = await get();
      expect(answer.status).toBe(500);
      expect(await answer.json()).toEqual({ error: expect.stringContaining("Something went wrong") });
    } finally {
      await admin.owner`alter table audit_entry_gone rename to audit_entry`;
    }
  });
});

describe("GET /export/audit.jsonl", () => {
  const get = (token: string, query = "") => admin.fetch(`/export/audit.jsonl${query}`, { headers: { authorization: `Bearer ${token}` } });
  const entries = async (token: string, query?: string) => {
    const lines = (await (await get(token, query)).text()).split("\n");
    expect(lines.pop()).toBe("");
    return lines.map((line) => JSON.parse(line) as { seq: number; action: string; hash: string; accountId: string });
  };

  it("is the account's chain, goes on after a number, and does not tell of itself without end", async () => {
    const { client, token } = await admin.signUp();
    await admin.signUp();
    for (const name of ["A", "B\u2028\n"]) await client.settings.renameAccount.mutate({ name });
    const { items } = await client.audit.list.query();
    const answer = await get(token);
    expect(answer.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    await answer.text();
    const all = await entries(token, "?since=0");
    const accountId = (await client.auth.me.query()).account.id;
    expect(all.slice(0, 3)).toEqual(
      items.toReversed().map((item, index) => ({
        ...item,
        operation: undefined,
        subjectName: undefined,
        siteName: undefined,
        accountId,
        seq: index + 1,
        hash: expect.any(String) as string,
      })),
    );
    expect(all.map(({ action }) => action)).toEqual(data("admin-server-http-exports", "is the account's chain, goes on after a number,"));
    const [head] = await admin.sql<
      { hash: string }[]
    >`select encode(hash, 'hex') as hash from audit_entry where account_id = ${accountId} and seq = 4`;
    expect(all.at(-1)?.hash).toBe(head?.hash);

    // Polling finds the entry about the file before, and leaves no entry if it finds only that.
    expect((await entries(token, "?since=4")).map(({ action }) => action)).toEqual(["export.audit.jsonl"]);
    expect(await entries(token, "?since=5")).toEqual([]);
    expect(await entries(token, "?since=5")).toEqual([]);
    await client.settings.renameAccount.mutate({ name: "C" });
    expect((await entries(token, "?since=5")).map(({ seq, action }) => [seq, action])).toEqual([[6, "settings.renameAccount"]]);
  });

  it("is for owners and their tokens that may read, for people only with a fresh proof", async () => {
    const { client, token } = await admin.signUp();
    const operator = await addMember(admin, client, "operator", "lines@example.com");
    const make = async (role: "owner" | "operator", scopes?: ("read" | "bindings")[]) =>
      (await client.tokens.create.mutate({ name: "x", role, scopes })).token;
    const reader = await make("owner", ["read"]);
    const statuses = [
      await get("", "?since=0"),
      await get(operator.token, "?since=0"),
      await get(await make("operator"), "?since=0"),
      await get(await make("owner", ["bindings"]), "?since=0"),
      await get(reader),
      await get(reader, "?since=0"),
      await get(token, "?since=-1"),
      await get(token, "?since=1e3"),
      await get(token, `?since=${"9".repeat(16)}`),
      await get(token, `?since=${"9".repeat(15)}`),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 403, 403, 403, 403, 200, 400, 400, 400, 200]);
    await admin.sql`update user_session set proven_at = now() - interval '11 minutes'`;
    const late = [await get(token), await get(token, "?since=0"), await get(token, "?since=1"), await get(reader, "?since=0")];
    expect(late.map(({ status }) => status)).toEqual([403, 403, 403, 200]);
  });
});
