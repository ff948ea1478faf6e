import { signBody } from "shared/secrets/signature";
import { describe, expect, it } from "vitest";
import { data } from "../../../test/support/data.ts";
import { openShop } from "../../../test/support/gateway.ts";
import { envelope, openCallbacks } from "../../../test/support/requests.ts";
import { shared } from "../../../test/support/shared.ts";

const at = shared(async () => openCallbacks());

const ok: [number, string] = [200, '{"ok":true}'];

describe("template updates", () => {
  const update = (value: object): string => envelope({ field: "message_template_status_update", value });
  const statusOf = async (id: string): Promise<unknown> =>
    (await at.database.sql`select status, reason, category, platform_id from template where id = ${id}`)[0];

  it("find the template by name and language, then by the platform's id", async () => {
    const [{ name } = { name: "" }] = await at.database.sql<{ name: string }[]>`
      update template set status = 'pending' where id = ${at.shop.templateId} returning name`;
    const named = { message_template_name: name, message_template_language: "en_US" };
    const tell = async (value: object) => expect(await at.post(update(value).replace(":0,", ":1234567890123456789,"))).toEqual(ok);
    await tell({ message_template_id: 0, ...named, event: "APPROVED", reason: "NONE" });
    expect(await statusOf(at.shop.templateId)).toEqual(
      data("gateway-http-callback-templates", "find the template by name and language, then by"),
    );
    await tell({ message_template_id: 0, event: "PAUSED", other_info: { title: "FIRST_PAUSE" } });
    expect(await statusOf(at.shop.templateId)).toMatchObject({ status: "paused", reason: "FIRST_PAUSE" });
    await tell({ message_template_id: "99", ...named, event: "DELETED" });
    expect(await statusOf(at.shop.templateId)).toMatchObject({ status: "paused" });
    await tell({ ...named, previous_category: "UTILITY", new_category: "MARKETING" });
    expect(await statusOf(at.shop.templateId)).toMatchObject({ status: "paused", reason: "FIRST_PAUSE", category: "MARKETING" });
  });

  it("bump the account's configuration once, and not at all when they say nothing new", async () => {
    const other = await openShop(at.database.sql);
    const [{ name } = { name: "" }] = await at.database.sql<{ name: string }[]>`select name from template where id = ${other.templateId}`;
    const version = async (): Promise<unknown> =>
      (await at.database.sql`select config_version from account where id = ${other.accountId}`)[0]?.["config_version"];
    // With the platform's time, as always: an update without one counts as told when it comes, so that its repeat is news a second later.
    const named = { message_template_id: 7, message_template_name: name, message_template_language: "en_US" };
    const body = Buffer.from(entry({ ...named, event: "DISABLED" }, 1_790_000_000));
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

  /** A template of the shop's account with these columns, and a way to tell about it. */
  const openTemplate = async (columns: { status: string; platform_id: string }) => {
    const { shop } = at;
    const [{ id } = { id: "" }] = await at.database.sql<{ id: string }[]>`
      insert into template (id, account_id, name, language, category, definition, status, platform_id)
      select gen_random_uuid(), account_id, 'told_' || ${columns.platform_id}, language, category, definition, ${columns.status}, ${columns.platform_id}
      from template where id = ${shop.templateId} returning id`;
    const tell = async (value: object, time?: number): Promise<[number, string]> =>
      at.post(entry({ message_template_id: Number(columns.platform_id), ...value }, time));
    return { id, tell };
  };
  const entry = (value: object, time?: number): string => JSON.stringify({ entry: [{ id: "1001", time, changes: [{ value }] }] });

  it("that come late do not undo newer ones, by the platform's clock", async () => {
    const { id, tell } = await openTemplate({ status: "pending", platform_id: "502" });
    await tell({ event: "PAUSED", reason: "NONE" }, 1_790_000_100);
    await tell({ event: "APPROVED", reason: "NONE", message_template_category: "MARKETING" }, 1_790_000_050);
    expect(await statusOf(id)).toMatchObject({ status: "paused", category: "MARKETING" });
    await tell({ event: "APPROVED", reason: "NONE" }, 1_790_000_200);
    expect(await statusOf(id)).toMatchObject({ status: "approved" });
  });

  it("about one template in one callback are taken in their order", async () => {
    const { id } = await openTemplate({ status: "pending", platform_id: "503" });
    const about = { message_template_id: 503 };
    const values = [
      { ...about, event: "APPROVED" },
      { ...about, new_quality_score: "RED" },
      { ...about, event: "PAUSED", reason: "SLOW" },
    ];
    await at.post(envelope(...values.map((value) => ({ value }))));
    expect(await at.database.sql`select status, reason, quality from template where id = ${id}`).toEqual([
      { status: "paused", reason: "SLOW", quality: "RED" },
    ]);
  });

  it("reach a draft while somebody is submitting it, under the name alone", async () => {
    const [{ id } = { id: "" }] = await at.database.sql<{ id: string }[]>`
      insert into template (id, account_id, name, language, category, definition, status, submitting_at)
      select gen_random_uuid(), account_id, 'under_way', language, category, definition, 'draft', now() from template
      where id = ${at.shop.templateId} returning id`;
    const named = { message_template_name: "under_way", message_template_language: "en-US" };
    await at.post(entry({ ...named, message_template_id: 504, event: "APPROVED" }));
    expect(await statusOf(id)).toMatchObject({ status: "approved", platform_id: "504" });
  });

  it("that tell less than there is to know have the list read soon", async () => {
    const due = async (): Promise<unknown> =>
      (
        await at.database
          .sql`select due_at < now() + interval '2 minutes' as soon from template_poll where account_id = ${at.shop.accountId}`
      )[0];
    const rest = () =>
      at.database.sql`update template_poll set due_at = now() + interval '1 hour', last_at = now() where account_id = ${at.shop.accountId}`;
    const { tell } = await openTemplate({ status: "approved", platform_id: "505" });
    const news: [object, boolean][] = data("gateway-http-callback-templates", "news");
    for (const [value, soon] of news) {
      await rest();
      expect(await tell(value)).toEqual(ok);
      expect([value, await due()]).toEqual([value, { soon }]);
    }
  });
});
