import type { JsonObject } from "shared/core/json";
import type { OptOutScope } from "shared/core/message";
import type { VariableMap } from "shared/core/variables";
import { recordOptOuts } from "shared/db/opt-out";
import { afterAll, beforeAll, expect, test, describe } from "vitest";
import { openBoundShop } from "../../../test/support/admin-shops.ts";
import { openAdmin, type OpenAdmin } from "../../../test/support/admin.ts";
import { openResources, type OpenResources } from "../../../test/support/admin.ts";
import { refusal } from "../../../test/support/admin.ts";

describe("http", () => {
  let admin: OpenAdmin;
  beforeAll(async () => {
    admin = await openAdmin();
  });
  afterAll(() => admin[Symbol.asyncDispose]());

  const customer = { strategy: "customer" } as const;

  async function openShop() {
    const { client, token } = await admin.signUp();
    const { site } = await client.sites.create.mutate({ name: "Shop", url: "https://shop.example", sourceType: "generic" });
    const { template } = await client.templates.create.mutate({
      name: "order",
      language: "en",
      category: "UTILITY",
      body: "Hello {{1}}, all is well.",
      examples: { body: ["Ada"] },
    });
    return { client, token, siteId: site.id, templateId: template.id };
  }

  test("what the resources refuse names the field, over HTTP too", async () => {
    const { client, siteId, templateId } = await openShop();
    const binding = { siteId, event: "order.created", templateId, recipient: customer };
    const unknownSlot = { body: { "2": { source: "static" as const, value: "x" } } };
    expect(await refusal(client.bindings.create.mutate({ ...binding, variableMap: unknownSlot }))).toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining("body.2"),
      issues: [{ path: ["variableMap"] }],
    });
    expect(await refusal(client.templates.update.mutate({ id: templateId, body: "{{1}} leads" }))).toMatchObject({
      code: "BAD_REQUEST",
      issues: [{ path: ["body"] }],
    });
    expect(await refusal(client.recipients.add.mutate({ siteId, phone: "0170" }))).toMatchObject({
      code: "BAD_REQUEST",
      issues: [{ path: ["phone"] }],
    });
    await client.bindings.create.mutate({ ...binding, variableMap: {} });
    expect(await refusal(client.templates.delete.mutate({ id: templateId }))).toMatchObject({ code: "CONFLICT" });
  });

  test("lists and syncs take no input at all, and a preview is also taken as POST, with a payload as large as an event", async () => {
    const { token, siteId, templateId } = await openShop();
    const headers = { authorization: `Bearer ${token}` };
    for (const list of ["sites.list", "templates.list", "bindings.list", "events.list", "notifications.list"]) {
      const answer = await admin.fetch(`/trpc/${list}`, { headers });
      expect([list, answer.status, await answer.json()]).toMatchObject([
        list,
        200,
        { result: { data: { items: expect.any(Array), nextCursor: null } } },
      ]);
    }
    expect((await admin.fetch("/trpc/templates.sync", { method: "POST", headers })).status).toBe(409);
    const payload = `{"customer":{"first_name":"${"A".repeat(1_000_000)}"},"order":{"id":12345678901234567890}}`;
    const variableMap = { body: { "1": { source: "field" as const, path: "order.id" } } };
    const input = { siteId, event: "order.created", templateId, recipient: customer, variableMap, payload };
    const preview = await admin.call("bindings.preview", input, headers);
    expect(await preview.json()).toMatchObject({ result: { data: { recipients: [], text: "Hello 12345678901234567890, all is well." } } });
  });
});

describe("preview", () => {
  let resources: OpenResources;
  beforeAll(async () => {
    resources = await openResources();
  });
  afterAll(() => resources[Symbol.asyncDispose]());

  const openShop = () => openBoundShop(resources);

  describe("bindings.preview", () => {
    const payload: JsonObject = {
      customer: { first_name: "Ada", last_name: "Lovelace", phone_e164: "+491701234567" },
      order: { id: "A-7", number: "1007", tracking_number: "DHL 1/2" },
    };

    test("shows what would be sent, to whom and how it reads", async () => {
      const { api, base } = await openShop();
      const preview = await api.bindings.preview({ ...base, payload });
      expect(preview).toMatchObject({
        recipients: ["+491701234567"],
        slots: { header: ["1007"], body: ["Ada Lovelace", "A-7"], buttonUrl: ["DHL 1/2"] },
        resolved: true,
      });
      expect(preview.text).toBe(
        "Order 1007\n\nHello Ada Lovelace, your order A-7 is on its way.\n\nExample Shop\n\n[Track] https://shop.example/t/DHL%201/2",
      );
    });

    test("shows values as mapped, and the text as it is cleaned for sending", async () => {
      const { api, base } = await openShop();
      const preview = await api.bindings.preview({
        ...base,
        payload: { ...payload, order: { ...(payload["order"] as JsonObject), id: " A\n7 " } },
      });
      expect(preview.slots.body[1]).toBe(" A\n7 ");
      expect(preview.text).toContain("your order A | 7 is on its way");
    });

    test("reads a payload's text without rounding its integers", async () => {
      const { api, base } = await openShop();
      const preview = await api.bindings.preview({
        ...base,
        payload: '{"order":{"id":12345678901234567890,"number":1,"tracking_number":"x"}}',
      });
      expect(preview.slots.body).toEqual(["there", "12345678901234567890"]);
      expect(preview).toMatchObject({
        recipients: [],
        resolved: false,
        reasons: [expect.stringContaining("customer.phone_e164"), expect.stringContaining("draft")],
      });
    });

    test("says which slots are empty and why, which phones are dropped, and what live would answer", async () => {
      const { api, accountId, templateId, base } = await openShop();
      const chatOf = async (changes: object) => (await api.bindings.preview({ ...base, payload, ...changes })).chat;
      const recipient = { strategy: "field_path", path: "customer.first_name" } as const;
      expect(await chatOf({})).toBe("skipped_no_config");
      await resources.sql`
      insert into platform_account (account_id, sandbox, waba_id, phone_number_id, api_version, access_token, access_token_hint)
      values (${accountId}, false, '1', '2', 'v25.0', 'x', 'x')`;
      expect(await chatOf({})).toBe("failed");
      await resources.sql`update template set status = 'approved' where id = ${templateId}`;
      expect(await chatOf({})).toBe("sent");
      expect(await api.bindings.preview({ ...base, recipient, payload: { customer: { first_name: "Ada" } } })).toMatchObject({
        chat: "skipped_no_phone",
        dropped: ["Ada"],
        unresolved: [
          "header {{1}}: order.number is missing",
          "body {{2}}: order.id is missing",
          "button_url {{1}}: order.tracking_number is missing",
        ],
      });
    });

    test("names the recipients who have opted out, to whoever sees phones", async () => {
      const { api, as, accountId, siteId, templateId, base } = await openShop();
      const { sql } = resources;
      await sql`
      insert into platform_account (account_id, sandbox, waba_id, phone_number_id, api_version, access_token, access_token_hint)
      values (${accountId}, false, '1', '2', 'v25.0', 'x', 'x')`;
      await sql`update template set status = 'approved' where id = ${templateId}`;
      const [ad, all, willing] = ["+491701111111", "+491702222222", "+491703333333"] as const;
      for (const phone of [ad, all, willing]) await api.recipients.add({ siteId, phone });
      const word = (phone: string, scope: OptOutScope) =>
        ({ phone, scope, source: "callback", code: null, active: true, at: new Date() }) as const;
      await recordOptOuts(sql, resources.vault, accountId, [word(ad, "marketing"), word(all, "all")]);
      const input = { ...base, recipient: { strategy: "site_recipients" } as const, payload };
      expect(await api.bindings.preview(input)).toMatchObject({ recipients: [ad, all, willing], optedOut: [all], chat: "partial" });
      await sql`update template set category = 'MARKETING' where id = ${templateId}`;
      expect((await api.bindings.preview(input)).optedOut).toEqual([ad, all]);
      expect(await api.bindings.preview({ ...base, payload })).toMatchObject({ optedOut: [], chat: "sent" });
      const chosen = { ...input, recipient: { strategy: "static_phone", phone: all } as const };
      expect(await api.bindings.preview(chosen)).toMatchObject({ optedOut: [all], chat: "failed" });
      expect(await as("viewer").bindings.preview(chosen)).toMatchObject({ optedOut: null, chat: "sent" });
    });

    test("sees own keys only, __proto__ among them", async () => {
      const { api, base } = await openShop();
      const map: VariableMap = {
        body: { "1": { source: "field", path: "__proto__.name" }, "2": { source: "field", path: "constructor.name", fallback: "none" } },
      };
      const preview = await api.bindings.preview({
        ...base,
        variableMap: map,
        payload: JSON.parse('{"__proto__":{"name":"own"}}') as JsonObject,
      });
      expect(preview.slots.body).toEqual(["own", "none"]);
    });

    test("sends a test event to the site's test phone", async () => {
      const { api, base } = await openShop();
      expect((await api.bindings.preview({ ...base, payload: { ...payload, test: true } })).recipients).toEqual(["+491700000000"]);
    });

    test("addresses the site's active phones", async () => {
      const { api, siteId, base } = await openShop();
      await api.recipients.add({ siteId, phone: "+491701111111" });
      await api.recipients.add({ siteId, phone: "+491702222222", active: false });
      await api.recipients.add({ siteId, phone: "+491703333333" });
      const preview = await api.bindings.preview({ ...base, recipient: { strategy: "site_recipients" }, payload });
      expect(preview.recipients).toEqual(["+491701111111", "+491703333333"]);
    });

    test("tells the day in the account's time zone", async () => {
      const { api, accountId, base } = await openShop();
      await resources.sql`update account set timezone = 'Pacific/Kiritimati' where id = ${accountId}`;
      const map: VariableMap = { body: { "1": { source: "expression", expr: "date.today" } } };
      const before = new Intl.DateTimeFormat("sv-SE", { timeZone: "Pacific/Kiritimati" }).format(new Date());
      const preview = await api.bindings.preview({ ...base, variableMap: map, payload });
      const after = new Intl.DateTimeFormat("sv-SE", { timeZone: "Pacific/Kiritimati" }).format(new Date());
      expect([before, after]).toContain(preview.slots.body[0]);
    });

    test.each(["[]", "nonsense", "", '"text"', "null"])("refuses the payload %j", async (wrong) => {
      const { api, base } = await openShop();
      await expect(api.bindings.preview({ ...base, payload: wrong })).rejects.toMatchObject({
        code: "BAD_REQUEST",
        cause: { issues: [{ path: ["payload"] }] },
      });
    });

    test.each([[[]], [7], [null], [undefined]])("refuses the payload %j, which is no object", async (wrong) => {
      const { api, base } = await openShop();
      await expect(api.bindings.preview({ ...base, payload: wrong as unknown as JsonObject })).rejects.toMatchObject({
        code: "BAD_REQUEST",
      });
    });
  });
});
