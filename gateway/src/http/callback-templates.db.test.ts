import { signBody } from "shared/signature/sign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Callbacks, envelope, openCallbacks } from "../../../test/support/gateway/open-callbacks.ts";
import { openShop } from "../../../test/support/gateway/shop.ts";

let at: Callbacks;
beforeAll(async () => {
  at = await openCallbacks();
});
afterAll(async () => at?.[Symbol.asyncDispose]());

const ok: [number, string] = [200, '{"ok":true}'];

describe("template updates", () => {
  const update = (value: object): string => envelope({ field: "message_template_status_update", value });
  const statusOf = async (id: string): Promise<unknown> =>
    (await at.database.sql`select status, reason, category, platform_id from template where id = ${id}`)[0];

  it("find the template by name and language, then by the platform's id", async () => {
    const [{ name } = { name: "" }] = await at.database.sql<{ name: string }[]>`
      update template set status = 'pending' where id = ${at.shop.templateId} returning name`;
    const named = { message_template_id: 1234567890123456789n, message_template_name: name, message_template_language: "en_US" };
    const text = update({ ...named, message_template_id: 0, event: "APPROVED", reason: "NONE" }).replace(":0,", ":1234567890123456789,");
    expect(await at.post(text)).toEqual(ok);
    expect(await statusOf(at.shop.templateId)).toEqual({
      status: "approved",
      reason: null,
      category: "UTILITY",
      platform_id: "1234567890123456789",
    });
    const paused = update({ message_template_id: 0, event: "PAUSED", other_info: { title: "FIRST_PAUSE" } }).replace(
      ":0,",
      ":1234567890123456789,",
    );
    expect(await at.post(paused)).toEqual(ok);
    expect(await statusOf(at.shop.templateId)).toMatchObject({ status: "paused", reason: "FIRST_PAUSE" });
    expect(
      await at.post(
        update({ message_template_id: "99", message_template_name: name, message_template_language: "en_US", event: "DELETED" }),
      ),
    ).toEqual(ok);
    expect(await statusOf(at.shop.templateId)).toMatchObject({ status: "paused" });
    expect(
      await at.post(
        update({
          message_template_name: name,
          message_template_language: "en_US",
          previous_category: "UTILITY",
          new_category: "MARKETING",
        }),
      ),
    ).toEqual(ok);
    expect(await statusOf(at.shop.templateId)).toMatchObject({ status: "paused", reason: "FIRST_PAUSE", category: "MARKETING" });
  });

  it("bump the account's configuration once, and not at all when they say nothing new", async () => {
    const other = await openShop(at.database.sql);
    const [{ name } = { name: "" }] = await at.database.sql<{ name: string }[]>`select name from template where id = ${other.templateId}`;
    const version = async (): Promise<unknown> =>
      (await at.database.sql`select config_version from account where id = ${other.accountId}`)[0]?.["config_version"];
    const body = Buffer.from(
      update({ message_template_id: 7, message_template_name: name, message_template_language: "en_US", event: "DISABLED" }),
    );
    const send = async (): Promise<[number, string]> =>
      at.post(body, { "X-Hub-Signature-256": signBody(other.appSecret, body) }, at.urlOf(other.accountId));
    const before = Number(await version());
    expect([await send(), await send(), Number(await version()) - before]).toEqual([ok, ok, 1]);
  });

  it("leave a draft and another account's template alone", async () => {
    const other = await openShop(at.database.sql);
    const [{ name } = { name: "" }] = await at.database.sql<{ name: string }[]>`
      update template set status = 'draft' where id = ${other.templateId} returning name`;
    const body = Buffer.from(
      update({ message_template_id: 8, message_template_name: name, message_template_language: "en_US", event: "APPROVED" }),
    );
    expect(await at.post(body)).toEqual(ok);
    expect(await at.post(body, { "X-Hub-Signature-256": signBody(other.appSecret, body) }, at.urlOf(other.accountId))).toEqual(ok);
    expect(await statusOf(other.templateId)).toMatchObject({ status: "draft", platform_id: null });
  });
});
