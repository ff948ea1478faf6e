import { newId } from "shared/db/ids";
import { beginMediaFile, completeMediaFile } from "shared/db/media-file";
import { applyPlatformWords } from "shared/db/template";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addSite } from "../../../test/support/admin-shops.ts";
import { refusal, listed, startTemplateShop, type TemplateShop, plain } from "../../../test/support/admin-templates.ts";
import type { ResourceCaller } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { restProcedures } from "../rest/procedures.ts";

describe("remove template", () => {
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

  async function bind(templateId: string): Promise<void> {
    const siteId = await addSite(api);
    await api.bindings.create({ siteId, event: "a", templateId, recipient: { strategy: "customer" }, variableMap: {} });
  }

  describe("templates.delete", () => {
    test("is refused while a binding sends it, and the platform is not asked", async () => {
      shop.platform.templates = [listed("1", "one")];
      await api.templates.sync();
      const [one] = await all();
      await bind(one?.id ?? "");
      await expect(api.templates.delete({ id: one?.id ?? "" })).rejects.toMatchObject({
        code: "CONFLICT",
        message: expect.stringContaining("binding"),
      });
      expect(shop.platform.changes).toEqual([]);
      expect(await all()).toEqual([one]);
    });

    test("says what is left when a binding came in between", async () => {
      shop.platform.templates = [listed("1", "one")];
      await api.templates.sync();
      const [one] = await all();
      shop.platform.intercept(async () => {
        await bind(one?.id ?? "");
        return { json: { success: true } };
      });
      await expect(api.templates.delete({ id: one?.id ?? "" })).rejects.toMatchObject({ code: "CONFLICT" });
      expect(await all()).toMatchObject([{ id: one?.id, status: "disabled", reason: expect.stringContaining("deleted") }]);
    });

    test("goes through when it was deleted in the platform's manager already", async () => {
      shop.platform.templates = [listed("1", "one")];
      await api.templates.sync();
      shop.platform.templates = [];
      const [one] = await all();
      expect(await api.templates.delete({ id: one?.id ?? "" })).toEqual({ id: one?.id });
      expect(await all()).toEqual([]);
    });

    test("hands a refusal on in the platform's words, and the template stays", async () => {
      shop.platform.templates = [listed("1", "one")];
      await api.templates.sync();
      const [one] = await all();
      shop.platform.intercept(() => refusal(2388039, "It cannot be deleted in this state."));
      await expect(api.templates.delete({ id: one?.id ?? "" })).rejects.toMatchObject({
        code: "BAD_REQUEST",
        message: expect.stringContaining("It cannot be deleted in this state."),
      });
      expect(await all()).toEqual([one]);
    });
  });
});

describe("submit template", () => {
  let shop: TemplateShop;
  let api: ResourceCaller;
  let accountId: string;
  beforeAll(async () => {
    shop = await startTemplateShop();
  });
  beforeEach(async () => {
    ({ api, accountId } = await shop.open());
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  describe("templates.submit", () => {
    test("asks for the examples that a draft may lack, and names the field", async () => {
      const { template } = await api.templates.create({ ...plain("unexplained"), body: "Hello {{1}}, all is well.", examples: {} });
      await expect(api.templates.submit({ id: template.id })).rejects.toMatchObject({
        code: "BAD_REQUEST",
        cause: { issues: [{ path: ["examples", "body"] }] },
      });
    });

    test("hands a refusal on in the platform's words, and the draft stays one", async () => {
      const { template } = await api.templates.create(plain("order"));
      shop.platform.intercept(() => refusal(2388023, "New English content can't be added while it is being deleted."));
      await expect(api.templates.submit({ id: template.id })).rejects.toMatchObject({
        code: "BAD_REQUEST",
        message: expect.stringContaining("New English content can't be added while it is being deleted."),
      });
      expect((await api.templates.get({ id: template.id })).template).toEqual(template);
    });

    test.each(data<[number, string, RegExp][]>("admin-server-templates-write", "d is told in the platform's words, with what to"))(
      "%d is told in the platform's words, with what to do",
      async (subcode, words, advice) => {
        const { template } = await api.templates.create(plain("order"));
        shop.platform.intercept(() => refusal(subcode, words));
        const submitted = api.templates.submit({ id: template.id });
        await expect(submitted).rejects.toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining(words) });
        await expect(submitted).rejects.toThrow(advice);
      },
    );

    test("a refusal that is new is told in the platform's words alone", async () => {
      const { template } = await api.templates.create(plain("order"));
      shop.platform.intercept(() => refusal(2399999, "Something else."));
      await expect(api.templates.submit({ id: template.id })).rejects.toThrow(/^Invalid parameter: Something else\.$/);
    });

    test("wants the category that the name has in its other languages", async () => {
      shop.platform.templates = [listed("1", "order", { category: "MARKETING" })];
      await api.templates.sync();
      const { template } = await api.templates.create(plain("order", "de"));
      await expect(api.templates.submit({ id: template.id })).rejects.toMatchObject({
        code: "BAD_REQUEST",
        cause: { issues: [{ path: ["category"], message: expect.stringContaining("must be MARKETING") }] },
      });
      await api.templates.update({ id: template.id, category: "MARKETING" });
      expect((await api.templates.submit({ id: template.id })).template).toMatchObject({
        category: "MARKETING",
        requestedCategory: "MARKETING",
      });
    });

    test("keeps what was asked for where the platform decides otherwise, and the way it went", async () => {
      const { template } = await api.templates.create(plain("order"));
      shop.platform.intercept(() => ({ json: { id: "55", status: "APPROVED", category: "MARKETING" } }));
      expect((await api.templates.submit({ id: template.id })).template).toMatchObject({
        category: "MARKETING",
        requestedCategory: "UTILITY",
      });
      const { history } = await api.templates.get({ id: template.id });
      expect(history).toEqual([
        { at: expect.any(String), from: "draft", to: "approved", reason: null, source: "submit" },
        { at: expect.any(String), from: null, to: "draft", reason: null, source: "create" },
      ]);
    });

    test("a template of one-time codes is its choices, on create, on update and at the platform", async () => {
      const codes = { name: "login_code", language: "de", category: "AUTHENTICATION", ttlSeconds: 300 };
      const authentication = { addSecurityRecommendation: true, codeExpirationMinutes: 10, buttonText: "Code kopieren" };
      const { template: draft } = await api.templates.create({ ...codes, authentication: {} });
      await api.templates.update({ id: draft.id, authentication });
      const { template } = await api.templates.get({ id: draft.id });
      expect(template).toMatchObject({ authentication, ttlSeconds: 300, slots: { header: 0, body: 1, buttonUrl: 0 } });
      await api.templates.submit({ id: draft.id });
      expect(shop.platform.changes.at(-1)?.body).toEqual(
        data("admin-server-templates-write", "a template of one time codes is its choices, on create, on u"),
      );
    });

    test("is a conflict when somebody else submitted it at the same time", async () => {
      const { template } = await api.templates.create(plain("order"));
      shop.platform.intercept(async () => {
        await shop.resources.sql`update template set status = 'pending', platform_id = '79' where id = ${template.id}`;
        return refusal(2388024, "There is already English content for this template.");
      });
      await expect(api.templates.submit({ id: template.id })).rejects.toMatchObject({ code: "CONFLICT" });
    });

    test("tells an answer that is none from a refusal", async () => {
      const { template } = await api.templates.create(plain("order"));
      shop.platform.intercept(() => ({ status: 502, text: "<html>" }));
      await expect(api.templates.submit({ id: template.id })).rejects.toMatchObject({ code: "BAD_GATEWAY" });
      expect((await api.templates.get({ id: template.id })).template.status).toBe("draft");
    });

    test("keeps a decision that the platform reported while the answer was under way", async () => {
      const { template } = await api.templates.create(plain("order"));
      shop.platform.intercept(async () => {
        await shop.resources.sql`update template set status = 'approved', platform_id = '77' where id = ${template.id}`;
        return { json: { id: "77", status: "PENDING", category: "UTILITY" } };
      });
      expect((await api.templates.submit({ id: template.id })).template).toMatchObject({ status: "approved", platformId: "77" });
    });

    test("keeps a rejection that a callback reported while the answer was under way, the second one too", async () => {
      const { template } = await api.templates.create(plain("order"));
      const word = { platformId: "77", name: null, language: null, category: null, quality: null };
      const rejected = { ...word, status: "rejected" as const, reason: "SCAM" };
      for (const minutes of [0, 1]) {
        shop.platform.intercept(async () => {
          const toldAt = new Date(Date.now() + minutes * 60_000);
          await shop.resources.sql`update template set platform_id = '77' where id = ${template.id}`;
          await applyPlatformWords(shop.resources.sql, accountId, [{ ...rejected, toldAt }]);
          return { json: minutes === 0 ? { id: "77", status: "PENDING", category: "UTILITY" } : { success: true } };
        });
        expect((await api.templates.submit({ id: template.id })).template).toMatchObject({ status: "rejected", reason: "SCAM" });
      }
    });

    test("stores what was submitted, not a change made meanwhile", async () => {
      const { template } = await api.templates.create(plain("order"));
      shop.platform.intercept(async () => {
        await api.templates.update({ id: template.id, body: "A change that comes too late." });
        return { json: { id: "78", status: "PENDING", category: "MARKETING" } };
      });
      expect((await api.templates.submit({ id: template.id })).template).toMatchObject({
        body: template.body,
        category: "MARKETING",
        status: "pending",
      });
    });
  });
});

test("the procedures that are said to answer BAD_GATEWAY do where the platform does not answer, and no others are", async () => {
  await using shop = await startTemplateShop();
  const { api, accountId } = await shop.open();
  const { sql } = shop.resources;
  shop.platform.templates = [listed("1", "one", { components: [{ type: "HEADER", format: "IMAGE" }] })];
  await api.templates.sync();
  const id = (await api.templates.list()).items[0]?.id ?? "";
  const { template } = await api.templates.create(plain("order"));
  const fileId = newId();
  await beginMediaFile(sql, { id: fileId, account_id: accountId, name: "a.png", type: "image/png" });
  await completeMediaFile(sql, fileId, 0);
  const calls: Record<string, () => Promise<unknown>> = {
    "templates.delete": () => api.templates.delete({ id }),
    "templates.setHeaderMedia": () => api.templates.setHeaderMedia({ id, fileId }),
    "templates.submit": () => api.templates.submit({ id: template.id }),
    "templates.sync": () => api.templates.sync(),
  };
  const told = [...restProcedures.values()].flatMap(({ path, refusals }) => (refusals.includes("BAD_GATEWAY") ? path : []));
  expect(told.toSorted()).toEqual(Object.keys(calls));
  await shop.platform[Symbol.asyncDispose]();
  for (const call of Object.values(calls)) await expect(call()).rejects.toMatchObject({ code: "BAD_GATEWAY" });
});
