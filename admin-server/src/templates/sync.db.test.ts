import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  refusal,
  type ListedTemplate,
  listed,
  plain,
  startTemplateShop,
  type TemplateShop,
} from "../../../test/support/admin-templates.ts";
import type { ResourceCaller } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";

let shop: TemplateShop;
let api: ResourceCaller;
beforeAll(async () => {
  shop = await startTemplateShop();
});
beforeEach(async () => {
  ({ api } = await shop.open());
});
afterAll(() => shop[Symbol.asyncDispose]());

const all = async () => (await api.templates.list()).items;
const onPlatform = (name: string): ListedTemplate | undefined => shop.platform.templates.find((template) => template.name === name);

describe("templates.sync", () => {
  test("imports every page, with status, reason, category and slots", async () => {
    const buttons = {
      type: "BUTTONS",
      buttons: [{ type: "URL", text: "Track", url: "https://shop.example/{{1}}", example: ["https://shop.example/7"] }],
    };
    shop.platform.templates = [
      listed("1", "one"),
      listed("2", "two", { status: "REJECTED", rejected_reason: "SCAM", category: "MARKETING" }),
      listed("3", "three", { language: "de", components: [{ type: "BODY", text: "Hallo {{1}}, hier." }, buttons] }),
      listed("4", "four", { status: "NEW_STATUS" }),
      listed("5", "five", data("admin-server-templates-sync", "imports every page, with status, reason, category and sl")),
    ];
    expect(await api.templates.sync()).toEqual({ imported: 5, updated: 0 });
    const byName = new Map((await all()).map((template) => [template.name, template]));
    expect(byName.get("one")).toMatchObject({
      platformId: "1",
      status: "approved",
      reason: null,
      body: "Hello from one, all is well.",
      syncedAt: expect.any(String),
    });
    expect(byName.get("two")).toMatchObject({ status: "rejected", reason: "SCAM", category: "MARKETING" });
    expect(byName.get("three")).toMatchObject({
      language: "de",
      slots: { header: 0, body: 1, buttonUrl: 1 },
      examples: { buttonUrl: ["7"] },
    });
    expect(byName.get("four")).toMatchObject({ status: "disabled" });
    expect(byName.get("five")).toMatchObject({ status: "paused", header: { format: "OTHER", type: "LOCATION" } });
    expect(await api.templates.sync()).toEqual({ imported: 0, updated: 0 });
  });

  test("time to live, origin, codes and archival come with the list; what the platform made by itself is shown only on demand", async () => {
    const url = "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}";
    shop.platform.templates = [
      listed("1", "code", {
        category: "AUTHENTICATION",
        message_send_ttl_seconds: 300,
        components: [
          { type: "BODY", text: "*{{1}}* is your code.", add_security_recommendation: true },
          { type: "FOOTER", text: "It ends in 10 minutes.", code_expiration_minutes: 10 },
          { type: "BUTTONS", buttons: [{ type: "URL", text: "Copy", url }] },
        ],
      }),
      listed("2", "direct_send_text_0f3c"),
      listed("3", "made", { source: "AUTO_GENERATED" }),
      listed("4", "christmas", { status: "ARCHIVED" }),
    ];
    await api.templates.sync();
    const shown = await all();
    expect(shown.map(({ name }) => name).toSorted()).toEqual(["christmas", "code"]);
    expect(shown.find(({ name }) => name === "christmas")).toMatchObject({ status: "disabled", rejectedReason: "ARCHIVED" });
    expect(shown.find(({ name }) => name === "code")).toMatchObject({
      ttlSeconds: 300,
      slots: { body: 1, buttonUrl: 0 },
      authentication: { addSecurityRecommendation: true, codeExpirationMinutes: 10, buttonText: "Copy" },
    });
    const { items } = await api.templates.list({ source: "AUTO_GENERATED" });
    expect(items.map(({ name, source }) => [name, source])).toEqual([
      ["made", "AUTO_GENERATED"],
      ["direct_send_text_0f3c", "AUTO_GENERATED"],
    ]);
  });

  test("counts and writes what changed, and nothing else", async () => {
    shop.platform.templates = [listed("1", "one"), listed("2", "two"), listed("3", "three", { status: "PENDING" })];
    await api.templates.sync();
    const before = await all();
    Object.assign(onPlatform("one") ?? {}, { components: [{ type: "BODY", text: "Another text altogether." }] });
    Object.assign(onPlatform("three") ?? {}, { status: "APPROVED" });
    expect(await api.templates.sync()).toEqual({ imported: 0, updated: 2 });
    const after = new Map((await all()).map((template) => [template.name, template]));
    expect(after.get("one")?.body).toBe("Another text altogether.");
    expect(after.get("three")?.status).toBe("approved");
    expect(after.get("two")).toEqual(before.find((template) => template.name === "two"));
  });

  test("adopts a draft of a name that the platform has, and leaves other drafts alone", async () => {
    const { template: same } = await api.templates.create(plain("same"));
    const { template: other } = await api.templates.create(plain("other"));
    shop.platform.templates = [listed("1", "same")];
    expect(await api.templates.sync()).toEqual({ imported: 0, updated: 1 });
    expect((await api.templates.get({ id: same.id })).template).toMatchObject({
      status: "approved",
      platformId: "1",
      body: "Hello from same, all is well.",
    });
    expect((await api.templates.get({ id: other.id })).template).toEqual(other);
  });

  test("makes a draft of one that is no longer on the platform, and takes it up again when it is back", async () => {
    shop.platform.templates = [listed("1", "one"), listed("2", "two")];
    await api.templates.sync();
    const gone = shop.platform.templates.shift();
    expect(await api.templates.sync()).toEqual({ imported: 0, updated: 1 });
    const [one] = (await all()).filter((template) => template.name === "one");
    expect(one).toMatchObject({ status: "draft", platformId: null, reason: expect.stringContaining("no longer has this template") });
    expect(await api.templates.sync()).toEqual({ imported: 0, updated: 0 });
    if (gone !== undefined) shop.platform.templates.push(gone);
    expect(await api.templates.sync()).toEqual({ imported: 0, updated: 1 });
    expect((await api.templates.get({ id: one?.id ?? "" })).template).toMatchObject({ status: "approved", platformId: "1", reason: null });
  });

  test("keeps a correction of a rejected template that is not submitted yet", async () => {
    shop.platform.templates = [listed("1", "one", { status: "REJECTED", rejected_reason: "SCAM" })];
    await api.templates.sync();
    const [one] = await all();
    await api.templates.update({ id: one?.id ?? "", body: "A corrected text of it." });
    expect(await api.templates.sync()).toEqual({ imported: 0, updated: 0 });
    expect((await all())[0]).toMatchObject({ status: "rejected", body: "A corrected text of it." });
  });

  test("keeps the address of a media header, which the platform does not tell", async () => {
    const header = { format: "IMAGE" as const, url: "https://shop.example/a.png" };
    const { template } = await api.templates.create({ ...plain("order"), header });
    await shop.resources.sql`update template set status = 'pending', platform_id = '1' where id = ${template.id}`;
    shop.platform.templates = [
      listed("1", "order", {
        components: [
          { type: "HEADER", format: "IMAGE" },
          { type: "BODY", text: template.body },
        ],
      }),
    ];
    expect(await api.templates.sync()).toEqual({ imported: 0, updated: 1 });
    expect((await all())[0]).toMatchObject({ status: "approved", header });
    expect(await api.templates.sync()).toEqual({ imported: 0, updated: 0 });
  });

  test("takes the successor of one that is being deleted", async () => {
    shop.platform.templates = [listed("2", "one"), listed("1", "one", { status: "PENDING_DELETION" })];
    expect(await api.templates.sync()).toEqual({ imported: 1, updated: 0 });
    expect(await all()).toMatchObject([{ platformId: "2", status: "approved" }]);
    shop.platform.templates.reverse();
    expect(await api.templates.sync()).toEqual({ imported: 0, updated: 0 });
  });

  test("does not undo what was written while the list was read", async () => {
    const { template } = await api.templates.create(plain("order"));
    shop.platform.onList = async () => {
      shop.platform.onList = null;
      await api.templates.submit({ id: template.id });
    };
    expect(await api.templates.sync()).toEqual({ imported: 0, updated: 0 });
    expect((await all())[0]).toMatchObject({ status: "pending", platformId: onPlatform("order")?.id });
  });

  test("several at once count every template once, and templates made meanwhile are in nobody's way", async () => {
    shop.platform.templates = Array.from({ length: 20 }, (_, n) => listed(String(n), `template_${n}`));
    const made = Array.from({ length: 10 }, (_, n) => api.templates.create(plain(`own_${n}`)));
    const clashing = Promise.allSettled(["template_3", "template_7"].map((name) => api.templates.create(plain(name))));
    const counts = await Promise.all([1, 2, 3, 4].map(() => api.templates.sync()));
    await Promise.all(made);
    const drafts = (await clashing).filter((result) => result.status === "fulfilled").length;
    expect(counts.reduce((sum, count) => sum + count.imported, 0)).toBe(20 - drafts);
    expect(await all()).toHaveLength(30);
    await api.templates.sync();
    expect((await api.templates.list({ status: "approved" })).items).toHaveLength(20);
  });

  test("writes down who told a status, stores the quality, and keeps a hundred changes", async () => {
    shop.platform.templates = [listed("1", "one", { quality_score: { score: "YELLOW", date: 1 } })];
    await api.templates.sync();
    const [one] = await all();
    expect(one).toMatchObject({ quality: "YELLOW", qualityAt: expect.any(String), requestedCategory: null });
    for (let n = 0; n < 51; n += 1) {
      for (const status of ["PAUSED", "APPROVED"]) {
        Object.assign(onPlatform("one") ?? {}, { status });
        await api.templates.sync();
      }
    }
    const { history } = await api.templates.get({ id: one?.id ?? "" });
    expect(history).toHaveLength(100);
    expect(history[0]).toEqual({ at: expect.any(String), from: "paused", to: "approved", reason: null, source: "sync" });
    expect(history.at(-1)).toMatchObject({ from: "approved", to: "paused" });
  });

  test("puts the next poll off by an hour, and tells when the templates were last read", async () => {
    const { api: fresh, accountId } = await shop.open();
    expect(await fresh.templates.syncState()).toEqual({ lastAt: null, nextAt: expect.any(String), problem: null });
    await fresh.templates.sync();
    const [row] = await shop.resources.sql`
      select last_at, due_at, round(extract(epoch from due_at - last_at))::integer as pause from template_poll where account_id = ${accountId}`;
    expect(row).toMatchObject({ pause: 3600 });
    const state = { lastAt: row?.["last_at"].toISOString(), nextAt: row?.["due_at"].toISOString(), problem: null };
    expect(await fresh.templates.syncState()).toEqual(state);
    const { api: unconnected } = await shop.resources.account();
    expect(await unconnected.templates.syncState()).toEqual({ lastAt: null, nextAt: null, problem: null });
  });

  test("concerns the own account alone", async () => {
    shop.platform.templates = [listed("1", "one")];
    const other = await shop.resources.account();
    await api.templates.sync();
    expect((await other.api.templates.list()).items).toEqual([]);
  });

  test("leaves one that was submitted just now, which the list may not show yet", async () => {
    const { template } = await api.templates.create(plain("order"));
    await api.templates.submit({ id: template.id });
    shop.platform.templates = [];
    expect(await api.templates.sync()).toEqual({ imported: 0, updated: 0 });
    await shop.resources.sql`update template set updated_at = now() - interval '11 minutes' where id = ${template.id}`;
    expect(await api.templates.sync()).toEqual({ imported: 0, updated: 1 });
    expect((await all())[0]).toMatchObject({ status: "draft" });
  });

  test("hands a refusal on in the platform's words, and changes nothing", async () => {
    shop.platform.templates = [listed("1", "one")];
    await api.templates.sync();
    const before = await all();
    shop.platform.onList = () => Promise.resolve(refusal(33, "Object with ID 'waba-1' does not exist."));
    await expect(api.templates.sync()).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining("Object with ID 'waba-1' does not exist."),
    });
    expect(await all()).toEqual(before);
  });

  test.each([
    ["ever more pages", (page: number) => `page ${page}`, "entries came on 1000 pages, and there were more to come"],
    ["the same pages again", (page: number) => `page ${page % 3}`, '4 entries came on 4 pages, and the cursor "page 0" came a second time'],
  ])("ends when the platform answers %s, says what was seen, and changes nothing", async (_, cursor, message) => {
    shop.platform.templates = [listed("1", "one"), listed("2", "two")];
    await api.templates.sync();
    const before = await all();
    let pages = 0;
    shop.platform.onList = async () => {
      pages += 1;
      const data = [listed(String(10 + pages), `made_${pages}`)];
      return { json: { data, paging: { cursors: { after: cursor(pages - 1) }, next: "https://next.example" } } };
    };
    await expect(api.templates.sync()).rejects.toMatchObject({ code: "BAD_GATEWAY", message: expect.stringContaining(message) });
    expect(await all()).toEqual(before);
  });
});
