import type { JsonObject } from "shared/core/json";
import type { OptOutScope } from "shared/core/message";
import type { RecipientStrategy } from "shared/core/recipient";
import { flattenSchedule } from "shared/core/schedule/merge";
import type { VariableMap } from "shared/core/variables";
import { recordOptOuts } from "shared/db/opt-out";
import { describe, expect, test } from "vitest";
import { addSite, openBoundShop, variableMap } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

const customer = { strategy: "customer" } as const;
const openShop = () => openBoundShop(resources);

const versionOf = async (siteId: string): Promise<number> => {
  const [row] = await resources.sql<[{ version: number }]>`select config_version::int as version from site where id = ${siteId}`;
  return row.version;
};

describe("bindings.create", () => {
  test("stores the binding under the event's lower-case name, and tells the gateways", async () => {
    const { api, siteId, templateId, base } = await openShop();
    const before = await versionOf(siteId);
    const { binding } = await api.bindings.create({ ...base, event: "Order.Shipped" });
    expect(binding).toEqual({
      id: binding.id,
      siteId,
      event: "order.shipped",
      templateId,
      template: "order_shipped",
      language: "en_US",
      templateStatus: "draft",
      recipient: customer,
      variableMap,
      conditions: null,
      ...flattenSchedule(null),
      enabled: true,
      problems: [expect.stringContaining("draft")],
      problemCodes: [{ code: "template_not_approved", status: "draft" }],
      idleSince: null,
      createdAt: binding.createdAt,
      updatedAt: binding.updatedAt,
    });
    expect((await api.bindings.get({ id: binding.id })).binding).toEqual(binding);
    expect((await api.bindings.list()).items).toEqual([binding]);
    expect(await versionOf(siteId)).toBeGreaterThan(before);
  });

  test("takes a map that leaves slots out, and names them among the problems", async () => {
    const { api, templateId, base } = await openShop();
    await resources.sql`update template set status = 'approved' where id = ${templateId}`;
    const { binding } = await api.bindings.create({ ...base, variableMap: { body: { "2": { source: "static", value: "x" } } } });
    expect(binding.problems).toEqual([
      expect.stringContaining("header {{1}}"),
      expect.stringContaining("body {{1}}"),
      expect.stringContaining("button_url {{1}}"),
    ]);
    const { binding: whole } = await api.bindings.create({ ...base, recipient: { strategy: "test" } });
    expect(whole.problems).toEqual([]);
  });

  test("refuses an equal binding and names the other one; of several at once one is made", async () => {
    const { api, base } = await openShop();
    const made = await Promise.allSettled(Array.from({ length: 4 }, () => api.bindings.create(base)));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const [first] = (await api.bindings.list()).items;
    const refusal = { code: "CONFLICT", message: expect.stringContaining(first?.id ?? "none") as unknown };
    await api.bindings.update({ id: first?.id ?? "", enabled: false });
    await expect(api.bindings.create({ ...base, variableMap: {} })).rejects.toMatchObject(refusal);
    const { binding } = await api.bindings.create({ ...base, recipient: { strategy: "test" } });
    await expect(api.bindings.update({ id: binding.id, recipient: customer })).rejects.toMatchObject(refusal);
  });

  test("leaves equal bindings as they are, among their problems, until one of them is moved", async () => {
    const { api, base } = await openShop();
    const { binding: first } = await api.bindings.create(base);
    const { binding: second } = await api.bindings.create({ ...base, event: "order.paid" });
    await resources.sql`update binding set event = ${base.event} where id = ${second.id}`;
    const twin = { code: "equal_binding", bindingId: first.id };
    const { binding } = await api.bindings.update({ id: second.id, enabled: false, event: base.event });
    expect(binding.problemCodes).toContainEqual(twin);
    const moved = await api.bindings.update({ id: second.id, event: "order.sent" });
    expect(moved.binding.problemCodes).not.toContainEqual(twin);
  });

  test("takes fifty enabled bindings for an event of a site", async () => {
    const { api, base } = await openShop();
    const recipient = (index: number) => ({ strategy: "static_phone", phone: `+4917012345${index + 10}` }) as const;
    for (let index = 0; index < 50; index += 1) await api.bindings.create({ ...base, recipient: recipient(index) });
    const refusal = { code: "CONFLICT", message: expect.stringContaining("50") as unknown };
    await expect(api.bindings.create({ ...base, recipient: recipient(50) })).rejects.toMatchObject(refusal);
    const { binding } = await api.bindings.create({ ...base, recipient: recipient(50), enabled: false });
    await expect(api.bindings.update({ id: binding.id, enabled: true })).rejects.toMatchObject(refusal);
    await api.bindings.create({ ...base, event: "order.other" });
  });

  test.each<[string, VariableMap]>([
    ["header.2", { header: { "2": { source: "static", value: "x" } } }],
    ["body.3", { body: { "1": { source: "static", value: "x" }, "3": { source: "static", value: "x" } } }],
    ["button_url.2", { button_url: { "2": { source: "static", value: "x" } } }],
  ])("refuses a map that names %s, which the template lacks", async (slot, map) => {
    const { api, base } = await openShop();
    await expect(api.bindings.create({ ...base, variableMap: map })).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining(slot),
      cause: { issues: [{ path: ["variableMap"] }] },
    });
    await expect(api.bindings.preview({ ...base, variableMap: map, payload: {} })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect((await api.bindings.list()).items).toEqual([]);
  });
});

describe("bindings.update", () => {
  test("changes what is named", async () => {
    const { api, siteId, base } = await openShop();
    const { binding } = await api.bindings.create(base);
    const before = await versionOf(siteId);
    const recipient: RecipientStrategy = { strategy: "static_phone", phone: "+491701234567" };
    const changed = await api.bindings.update({ id: binding.id, recipient, enabled: false, event: "ORDER.created" });
    expect(changed.binding).toEqual({
      ...binding,
      recipient,
      enabled: false,
      event: "order.created",
      updatedAt: changed.binding.updatedAt,
    });
    expect((await api.bindings.get({ id: binding.id })).binding).toEqual(changed.binding);
    expect(await versionOf(siteId)).toBeGreaterThan(before);
  });

  test("judges the stored map against a new template, and a new map against the stored template", async () => {
    const { api, base } = await openShop();
    const { binding } = await api.bindings.create(base);
    const { template: plain } = await api.templates.create({
      name: "plain",
      language: "en",
      category: "UTILITY",
      body: "All is well with your order.",
    });
    await expect(api.bindings.update({ id: binding.id, templateId: plain.id })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(
      api.bindings.update({ id: binding.id, variableMap: { body: { "9": { source: "static", value: "x" } } } }),
    ).rejects.toMatchObject({ code: "BAD_REQUEST" });
    const { binding: changed } = await api.bindings.update({ id: binding.id, templateId: plain.id, variableMap: {} });
    expect(changed).toMatchObject({ templateId: plain.id, template: "plain", variableMap: {} });
  });

  test("switches off a binding whose template has lost a slot", async () => {
    const { api, templateId, base } = await openShop();
    const { binding } = await api.bindings.create(base);
    await api.templates.update({ id: templateId, header: null, examples: { body: ["Ada", "1"], buttonUrl: ["1"] } });
    expect((await api.bindings.update({ id: binding.id, enabled: false })).binding.enabled).toBe(false);
  });

  test("moves to another site of the account, and both sites' gateways learn it", async () => {
    const { api, siteId, base } = await openShop();
    const target = await addSite(api);
    const { binding } = await api.bindings.create(base);
    const [fromVersion, toVersion] = [await versionOf(siteId), await versionOf(target)];
    expect((await api.bindings.update({ id: binding.id, siteId: target })).binding.siteId).toBe(target);
    expect(await versionOf(siteId)).toBeGreaterThan(fromVersion);
    expect(await versionOf(target)).toBeGreaterThan(toVersion);
    await expect(api.bindings.update({ id: binding.id, siteId: (await openShop()).siteId })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

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
    expect(await api.bindings.preview({ ...base, recipient, payload: { customer: { first_name: "Ada" } } })).toMatchObject(
      data<object>("admin-server-api-bindings", "says which slots are empty and why, which phones"),
    );
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
});

test("bindings.delete ends the binding, and then its template may be deleted", async () => {
  const { api, siteId, templateId, base } = await openShop();
  const { binding } = await api.bindings.create(base);
  await expect(api.templates.delete({ id: templateId })).rejects.toMatchObject({ code: "CONFLICT" });
  const before = await versionOf(siteId);
  expect(await api.bindings.delete({ id: binding.id })).toEqual({ id: binding.id });
  expect(await versionOf(siteId)).toBeGreaterThan(before);
  await expect(api.bindings.get({ id: binding.id })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(api.bindings.delete({ id: binding.id })).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect(await api.templates.delete({ id: templateId })).toEqual({ id: templateId });
});
