import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connectPlatform } from "../../../../test/support/admin/connect-platform.ts";
import { openResources, type OpenResources } from "../../../../test/support/admin/open-resources.ts";
import { refusal, startTemplatePlatform, type ListedTemplate, type TemplatePlatform } from "../../../../test/support/admin/template-platform.ts";

let platform: TemplatePlatform;
let resources: OpenResources;
beforeAll(async () => {
  platform = await startTemplatePlatform();
  resources = await openResources({ platformUrl: platform.url });
});
afterAll(async () => {
  await resources[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
});

let shop: Awaited<ReturnType<typeof openShop>>;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => {
  platform.templates = [];
  platform.changes = [];
  platform.onList = null;
  platform.intercept(null);
});

async function openShop() {
  const account = await resources.account();
  await connectPlatform(resources, account.accountId);
  return account;
}

const plain = (name: string, language = "en") => ({ name, language, category: "UTILITY", body: "All is well with your order." });

const listed = (id: string, name: string, more: Partial<ListedTemplate> = {}): ListedTemplate => ({
  ...{ id, name, language: "en", status: "APPROVED", category: "UTILITY" },
  components: [{ type: "BODY", text: `Hello from ${name}, all is well.` }],
  ...more,
});

const all = async () => (await shop.api.templates.list()).items;
const onPlatform = (name: string): ListedTemplate | undefined => platform.templates.find((template) => template.name === name);

async function bind(templateId: string): Promise<void> {
  const { site } = await shop.api.sites.create({ name: "Shop", url: "https://shop.example", sourceType: "generic" });
  await shop.api.bindings.create({ siteId: site.id, event: "a", templateId, recipient: { strategy: "customer" }, variableMap: {} });
}

describe("templates.submit", () => {
  test("creates a draft on the platform", async () => {
    const { template } = await shop.api.templates.create({ ...plain("order"), body: "Hello {{1}}, all is well.", examples: { body: ["Ada"] } });
    const { template: submitted } = await shop.api.templates.submit({ id: template.id });
    expect(submitted).toMatchObject({ id: template.id, status: "pending", reason: null, platformId: onPlatform("order")?.id });
    expect(platform.changes.map(({ method, path, authorization }) => ({ method, path, authorization }))).toEqual([
      { method: "POST", path: "/v25.0/waba-1/message_templates", authorization: "Bearer token-1" },
    ]);
    expect(platform.changes[0]?.body).toMatchObject({
      name: "order",
      language: "en",
      category: "UTILITY",
      components: [{ type: "BODY", text: "Hello {{1}}, all is well.", example: { body_text: [["Ada"]] } }],
    });
  });

  test("replaces one that was rejected", async () => {
    const { template } = await shop.api.templates.create(plain("order"));
    await shop.api.templates.submit({ id: template.id });
    Object.assign(onPlatform("order") ?? {}, { status: "REJECTED", rejected_reason: "PROMOTIONAL" });
    await shop.api.templates.sync();
    expect((await shop.api.templates.get({ id: template.id })).template).toMatchObject({ status: "rejected", reason: "PROMOTIONAL" });
    await shop.api.templates.update({ id: template.id, body: "Another text for the order." });
    const { template: again } = await shop.api.templates.submit({ id: template.id });
    expect(again).toMatchObject({ status: "pending", reason: null, body: "Another text for the order." });
    expect(platform.templates).toMatchObject([{ id: again.platformId, status: "PENDING", components: [{ text: "Another text for the order." }] }]);
  });

  test("hands a refusal on in the platform's words, and the draft stays one", async () => {
    const { template } = await shop.api.templates.create(plain("order"));
    platform.intercept(() => refusal(2388023, "New English content can't be added while it is being deleted."));
    await expect(shop.api.templates.submit({ id: template.id })).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining("New English content can't be added while it is being deleted."),
    });
    expect((await shop.api.templates.get({ id: template.id })).template).toEqual(template);
  });

  test("tells an answer that is none from a refusal", async () => {
    const { template } = await shop.api.templates.create(plain("order"));
    platform.intercept(() => ({ status: 502, text: "<html>" }));
    await expect(shop.api.templates.submit({ id: template.id })).rejects.toMatchObject({ code: "BAD_GATEWAY" });
    expect((await shop.api.templates.get({ id: template.id })).template.status).toBe("draft");
  });

  test("keeps a decision that the platform reported while the answer was under way", async () => {
    const { template } = await shop.api.templates.create(plain("order"));
    platform.intercept(async () => {
      await resources.sql`update template set status = 'approved', platform_id = '77' where id = ${template.id}`;
      return { json: { id: "77", status: "PENDING", category: "UTILITY" } };
    });
    expect((await shop.api.templates.submit({ id: template.id })).template).toMatchObject({ status: "approved", platformId: "77" });
  });

  test("stores what was submitted, not a change made meanwhile", async () => {
    const { template } = await shop.api.templates.create(plain("order"));
    platform.intercept(async () => {
      await shop.api.templates.update({ id: template.id, body: "A change that comes too late." });
      return { json: { id: "78", status: "PENDING", category: "MARKETING" } };
    });
    expect((await shop.api.templates.submit({ id: template.id })).template).toMatchObject({ body: template.body, category: "MARKETING", status: "pending" });
  });
});

describe("templates.sync", () => {
  test("imports every page, with status, reason, category and slots", async () => {
    const buttons = { type: "BUTTONS", buttons: [{ type: "URL", text: "Track", url: "https://shop.example/{{1}}", example: ["https://shop.example/7"] }] };
    platform.templates = [
      listed("1", "one"),
      listed("2", "two", { status: "REJECTED", rejected_reason: "SCAM", category: "MARKETING" }),
      listed("3", "three", { language: "de", components: [{ type: "BODY", text: "Hallo {{1}}, hier." }, buttons] }),
      listed("4", "four", { status: "NEW_STATUS" }),
      listed("5", "five", { status: "PAUSED", components: [{ type: "HEADER", format: "LOCATION" }, { type: "BODY", text: "Here it is." }] }),
    ];
    expect(await shop.api.templates.sync()).toEqual({ imported: 5, updated: 0 });
    const byName = new Map((await all()).map((template) => [template.name, template]));
    expect(byName.get("one")).toMatchObject({ platformId: "1", status: "approved", reason: null, body: "Hello from one, all is well.", syncedAt: expect.any(String) });
    expect(byName.get("two")).toMatchObject({ status: "rejected", reason: "SCAM", category: "MARKETING" });
    expect(byName.get("three")).toMatchObject({ language: "de", slots: { header: 0, body: 1, buttonUrl: 1 }, examples: { buttonUrl: ["7"] } });
    expect(byName.get("four")).toMatchObject({ status: "disabled" });
    expect(byName.get("five")).toMatchObject({ status: "paused", header: { format: "OTHER", type: "LOCATION" } });
    expect(await shop.api.templates.sync()).toEqual({ imported: 0, updated: 0 });
  });

  test("counts and writes what changed, and nothing else", async () => {
    platform.templates = [listed("1", "one"), listed("2", "two"), listed("3", "three", { status: "PENDING" })];
    await shop.api.templates.sync();
    const before = await all();
    Object.assign(onPlatform("one") ?? {}, { components: [{ type: "BODY", text: "Another text altogether." }] });
    Object.assign(onPlatform("three") ?? {}, { status: "APPROVED" });
    expect(await shop.api.templates.sync()).toEqual({ imported: 0, updated: 2 });
    const after = new Map((await all()).map((template) => [template.name, template]));
    expect(after.get("one")?.body).toBe("Another text altogether.");
    expect(after.get("three")?.status).toBe("approved");
    expect(after.get("two")).toEqual(before.find((template) => template.name === "two"));
  });

  test("adopts a draft of a name that the platform has, and leaves other drafts alone", async () => {
    const { template: same } = await shop.api.templates.create(plain("same"));
    const { template: other } = await shop.api.templates.create(plain("other"));
    platform.templates = [listed("1", "same")];
    expect(await shop.api.templates.sync()).toEqual({ imported: 0, updated: 1 });
    expect((await shop.api.templates.get({ id: same.id })).template).toMatchObject({ status: "approved", platformId: "1", body: "Hello from same, all is well." });
    expect((await shop.api.templates.get({ id: other.id })).template).toEqual(other);
  });

  test("makes a draft of one that is no longer on the platform, and takes it up again when it is back", async () => {
    platform.templates = [listed("1", "one"), listed("2", "two")];
    await shop.api.templates.sync();
    const gone = platform.templates.shift();
    expect(await shop.api.templates.sync()).toEqual({ imported: 0, updated: 1 });
    const [one] = (await all()).filter((template) => template.name === "one");
    expect(one).toMatchObject({ status: "draft", platformId: null, reason: expect.stringContaining("no longer on the platform") });
    expect(await shop.api.templates.sync()).toEqual({ imported: 0, updated: 0 });
    if (gone !== undefined) platform.templates.push(gone);
    expect(await shop.api.templates.sync()).toEqual({ imported: 0, updated: 1 });
    expect((await shop.api.templates.get({ id: one?.id ?? "" })).template).toMatchObject({ status: "approved", platformId: "1", reason: null });
  });

  test("keeps a correction of a rejected template that is not submitted yet", async () => {
    platform.templates = [listed("1", "one", { status: "REJECTED", rejected_reason: "SCAM" })];
    await shop.api.templates.sync();
    const [one] = await all();
    await shop.api.templates.update({ id: one?.id ?? "", body: "A corrected text of it." });
    expect(await shop.api.templates.sync()).toEqual({ imported: 0, updated: 0 });
    expect((await all())[0]).toMatchObject({ status: "rejected", body: "A corrected text of it." });
  });

  test("keeps the address of a media header, which the platform does not tell", async () => {
    const header = { format: "IMAGE" as const, url: "https://shop.example/a.png" };
    const { template } = await shop.api.templates.create({ ...plain("order"), header });
    await resources.sql`update template set status = 'pending', platform_id = '1' where id = ${template.id}`;
    platform.templates = [listed("1", "order", { components: [{ type: "HEADER", format: "IMAGE" }, { type: "BODY", text: template.body }] })];
    expect(await shop.api.templates.sync()).toEqual({ imported: 0, updated: 1 });
    expect((await all())[0]).toMatchObject({ status: "approved", header });
    expect(await shop.api.templates.sync()).toEqual({ imported: 0, updated: 0 });
  });

  test("takes the successor of one that is being deleted", async () => {
    platform.templates = [listed("2", "one"), listed("1", "one", { status: "PENDING_DELETION" })];
    expect(await shop.api.templates.sync()).toEqual({ imported: 1, updated: 0 });
    expect(await all()).toMatchObject([{ platformId: "2", status: "approved" }]);
    platform.templates.reverse();
    expect(await shop.api.templates.sync()).toEqual({ imported: 0, updated: 0 });
  });

  test("does not undo what was written while the list was read", async () => {
    const { template } = await shop.api.templates.create(plain("order"));
    platform.onList = async () => {
      platform.onList = null;
      await shop.api.templates.submit({ id: template.id });
    };
    expect(await shop.api.templates.sync()).toEqual({ imported: 0, updated: 0 });
    expect((await all())[0]).toMatchObject({ status: "pending", platformId: onPlatform("order")?.id });
  });

  test("several at once count every template once, and templates made meanwhile are in nobody's way", async () => {
    platform.templates = Array.from({ length: 20 }, (_, n) => listed(String(n), `template_${n}`));
    const made = Array.from({ length: 10 }, (_, n) => shop.api.templates.create(plain(`own_${n}`)));
    const clashing = [shop.api.templates.create(plain("template_3")), shop.api.templates.create(plain("template_7"))];
    const counts = await Promise.all([1, 2, 3, 4].map(() => shop.api.templates.sync()));
    await Promise.all(made);
    const drafts = (await Promise.allSettled(clashing)).filter((result) => result.status === "fulfilled").length;
    expect(counts.reduce((sum, count) => sum + count.imported, 0)).toBe(20 - drafts);
    expect(await all()).toHaveLength(30);
    await shop.api.templates.sync();
    expect((await shop.api.templates.list({ status: "approved" })).items).toHaveLength(20);
  });

  test("concerns the own account alone", async () => {
    platform.templates = [listed("1", "one")];
    const other = await openShop();
    await shop.api.templates.sync();
    expect((await other.api.templates.list()).items).toEqual([]);
  });

  test("hands the platform's refusal on", async () => {
    platform.onList = () => Promise.reject(new Error("no answer"));
    platform.onList = null;
    await resources.sql`update platform_account set api_version = 'v1.0' where account_id = ${shop.accountId}`;
    platform.templates = [];
    expect(await shop.api.templates.sync()).toEqual({ imported: 0, updated: 0 });
  });
});

describe("templates.delete", () => {
  test("deletes this language here and on the platform", async () => {
    platform.templates = [listed("1", "one"), listed("2", "one", { language: "de" })];
    await shop.api.templates.sync();
    const english = (await all()).find((template) => template.language === "en");
    expect(await shop.api.templates.delete({ id: english?.id ?? "" })).toEqual({ id: english?.id });
    expect(platform.templates.map((template) => template.language)).toEqual(["de"]);
    expect((await all()).map((template) => template.language)).toEqual(["de"]);
  });

  test("is refused while a binding sends it, and the platform is not asked", async () => {
    platform.templates = [listed("1", "one")];
    await shop.api.templates.sync();
    const [one] = await all();
    await bind(one?.id ?? "");
    await expect(shop.api.templates.delete({ id: one?.id ?? "" })).rejects.toMatchObject({ code: "CONFLICT", message: expect.stringContaining("binding") });
    expect(platform.changes).toEqual([]);
    expect(await all()).toEqual([one]);
  });

  test("says what is left when a binding came in between", async () => {
    platform.templates = [listed("1", "one")];
    await shop.api.templates.sync();
    const [one] = await all();
    platform.intercept(async () => {
      await bind(one?.id ?? "");
      return { json: { success: true } };
    });
    await expect(shop.api.templates.delete({ id: one?.id ?? "" })).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await all()).toMatchObject([{ id: one?.id, status: "disabled", reason: expect.stringContaining("deleted") }]);
  });

  test("goes through when it was deleted in the platform's manager already", async () => {
    platform.templates = [listed("1", "one")];
    await shop.api.templates.sync();
    platform.templates = [];
    const [one] = await all();
    expect(await shop.api.templates.delete({ id: one?.id ?? "" })).toEqual({ id: one?.id });
    expect(await all()).toEqual([]);
  });

  test("hands a refusal on in the platform's words, and the template stays", async () => {
    platform.templates = [listed("1", "one")];
    await shop.api.templates.sync();
    const [one] = await all();
    platform.intercept(() => refusal(2388039, "It cannot be deleted in this state."));
    await expect(shop.api.templates.delete({ id: one?.id ?? "" })).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining("It cannot be deleted in this state."),
    });
    expect(await all()).toEqual([one]);
  });
});
