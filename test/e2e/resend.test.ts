import { beforeEach, describe, expect, it } from "vitest";
import { openShopWorld } from "../support/admin-shops.ts";
import { newMessageId, refuse } from "../support/platform.ts";
import { anEvent, postEvent } from "../support/requests.ts";
import { shared } from "../support/shared.ts";
import { waitFor } from "../support/wait-for.ts";

describe("resend", () => {
  const world = shared(openShopWorld);
  beforeEach(() => {
    world.platform.sends.splice(0);
    world.platform.script(() => newMessageId());
  });

  const client = () => {
    const [one, other] = world.admins;
    if (one === undefined || other === undefined) throw new Error("two admin servers are needed");
    return { one: one.client, other: other.client };
  };
  const get = async (id: string) => (await client().one.notifications.get.query({ id })).notification;
  const until = (id: string, status: string) =>
    waitFor(`a message that is ${status}`, async () => {
      const message = await get(id);
      return message.status === status && message;
    });

  let keys = 0;
  /** Posts an event whose message fails with the platform's code; answers it and its message. */
  async function fail(code: number, payload: object = anEvent) {
    world.platform.script((_, response) => refuse(response, 400, code, "why"));
    const headers = { "X-Service-Idempotency-Key": `resend-${(keys += 1)}` };
    const posted = await postEvent(world.gateway, world.shop, payload, { headers });
    const eventId = String(posted.json["event_id"]);
    const [message] = (await client().one.notifications.list.query({ eventId })).items;
    if (message === undefined) throw new Error("nothing failed");
    world.platform.sends.splice(0);
    world.platform.script(() => newMessageId());
    return { posted, headers, eventId, message };
  }

  describe("a failed message", () => {
    it("is sent again once, however many click and on whichever server", async () => {
      const { posted, headers, eventId, message } = await fail(131026);
      const { one, other } = client();
      const clicks = await Promise.all([one, other, one, other].map((api) => api.notifications.resend.mutate({ id: message.id })));
      const [again] = [...new Set(clicks.map(({ notification }) => notification.id))];
      expect(clicks.map(({ notification }) => notification.id)).toEqual(clicks.map(() => again));
      const sent = await until(again ?? "", "sent");
      expect(sent).toMatchObject({ resendOf: message.id, eventId, event: "order.created", toPhone: message.toPhone, attempt: 1 });
      expect(world.platform.sends.map(({ body }) => body.to)).toEqual([message.toPhone]);
      expect(await get(message.id)).toMatchObject({ status: "failed", errorCode: "131026", resentAs: again, resend: null });
      // The first answer stays, for duplicates too.
      expect((await postEvent(world.gateway, world.shop, anEvent, { headers })).body).toBe(posted.body);
      const { event } = await one.events.get.query({ id: eventId });
      expect(event).toMatchObject({ chat: "failed", recipientsSent: 0, recipientsFailed: 1 });
      expect(await world.sql`select id from event_due where id = ${eventId}`).toEqual([]);
      expect((await one.notifications.resend.mutate({ id: message.id })).notification.id).toBe(again);
      expect(world.platform.sends).toHaveLength(1);
    });

    it("that would fail again is refused, unless it is forced", async () => {
      const { message } = await fail(131009);
      expect(message.resend).toBe("futile");
      await expect(client().one.notifications.resend.mutate({ id: message.id })).rejects.toMatchObject({
        data: { code: "CONFLICT" },
        message: expect.stringContaining("Set force"),
      });
      expect(world.platform.sends).toEqual([]);
      const { notification } = await client().one.notifications.resend.mutate({ id: message.id, force: true });
      await until(notification.id, "sent");
    });

    it("that said too little is made anew, with the binding as it is now", async () => {
      const withoutName = { ...anEvent, customer: { phone_e164: "+15551230077" } };
      const empty = { body: { 1: { source: "field", path: "customer.first_name" }, 2: { source: "field", path: "order.id" } } };
      const setMap = (map: object) =>
        world.sql`update binding set variable_map = ${world.sql.json(map as never)} where id = ${world.shop.bindingId}`;
      await setMap(empty);
      const { message } = await fail(1, withoutName);
      expect(message).toMatchObject({ errorCode: "slot_unresolved", explanation: { action: expect.stringContaining("fallback") } });
      await expect(client().one.notifications.resend.mutate({ id: message.id })).rejects.toThrow(/would fail again: body \{\{1\}\}/);
      await setMap({ body: { ...empty.body, 1: { source: "field", path: "customer.first_name", fallback: "friend" } } });
      const { notification } = await client().one.notifications.resend.mutate({ id: message.id });
      await until(notification.id, "sent");
      expect(JSON.stringify(world.platform.sends.at(-1)?.body.template.components)).toContain("friend");
    });

    it.each([
      [
        "template",
        (id: string, on: boolean) => world.sql`update template set status = ${on ? "approved" : "paused"} where id = ${id}`,
        /is paused/,
      ],
      [
        "site",
        (_: string, on: boolean) => world.sql`update site set enabled = ${on} where id = ${world.shop.siteId}`,
        /site refuses events/,
      ],
    ])("is refused while its %s cannot send", async (_, set, reason) => {
      const { message } = await fail(131026);
      await set(world.shop.templateId, false);
      try {
        await expect(client().one.notifications.resend.mutate({ id: message.id })).rejects.toThrow(reason);
      } finally {
        await set(world.shop.templateId, true);
      }
      expect(world.platform.sends).toEqual([]);
    });

    it("is none that was sent", async () => {
      const posted = await postEvent(world.gateway, world.shop);
      const [message] = (await client().one.notifications.list.query({ eventId: String(posted.json["event_id"]) })).items;
      await expect(client().one.notifications.resend.mutate({ id: message?.id ?? "", force: true })).rejects.toThrow(
        /Only failed messages/,
      );
    });

    it("leaves the key of its event free for the next one", async () => {
      const { message, headers } = await fail(131026);
      await world.sql`update idempotency set expires_at = now() where event_id = ${message.eventId}`;
      await world.sql`insert into event_due select site_id, id, now() + interval '1 hour' from event where id = ${message.eventId}`;
      const posted = await postEvent(world.gateway, world.shop, anEvent, { headers });
      expect(posted.json).toMatchObject({ chat: "sent" });
      expect(posted.json["event_id"]).not.toBe(message.eventId);
      await world.sql`delete from event_due where id = ${message.eventId}`;
    });
  });

  describe("many", () => {
    const phones = Array.from({ length: 60 }, (_, i) => `+1555777${String(i).padStart(4, "0")}`);

    it("are shown with their newest recipients, and with what would stop them again", async () => {
      const { one } = client();
      const period = { from: new Date(Date.now() - 60_000).toISOString(), to: "2100-01-01" };
      const sent = [];
      for (const [i, phone] of ["+15557780001", "+15557780002", "+15557780003"].entries())
        sent.push(await fail(i === 0 ? 131047 : 132012, { ...anEvent, customer: { phone_e164: phone } }));
      await world.sql`update event_payload set payload = '{}' where id = ${String(sent[2]?.eventId)}`;
      const input = { ...period, errorCodes: ["131047", "132012"] };
      const { total, errors } = await one.notifications.resendCount.query(input);
      expect(total).toBe(3);
      const bindingId = sent[0]?.message.bindingId;
      expect(errors).toMatchObject([
        {
          code: "132012",
          count: 2,
          messages: [
            { id: sent[2]?.message.id, toPhone: "+15557780003" },
            { id: sent[1]?.message.id, toPhone: "+15557780002" },
          ],
          refusal: { text: expect.stringMatching(/^It would fail again: /u), bindingId },
        },
        { code: "131047", count: 1, messages: [{ toPhone: "+15557780001" }], refusal: null },
      ]);
      await world.sql`update site set enabled = false where id = ${world.shop.siteId}`;
      const refused = (await one.notifications.resendCount.query(input)).errors.map(({ refusal }) => refusal?.text);
      expect(refused).toEqual(refused.map(() => "Its site refuses events: switch “Accept events” on first"));
      await world.sql`update site set enabled = true where id = ${world.shop.siteId}`;
      await world.sql`delete from event_payload where id = ${String(sent[2]?.eventId)}`;
      const { people, errors: left } = await one.notifications.resendCount.query(input);
      expect([people, ...left.map(({ count, lost }) => [count, lost])]).toEqual([2, [2, [{ why: "payload", count: 1 }]], [1, []]]);
      for (const errorCodes of [[], ["\u0000"], Array.from({ length: 101 }, (_, i) => `${i}`)])
        await expect(one.notifications.resendCount.query({ ...period, errorCodes })).rejects.toMatchObject({
          data: { code: "BAD_REQUEST" },
        });
    });

    it("are counted first, then sent again in the background, each once", async () => {
      const { one, other } = client();
      await world.sql`update site set config_version = config_version + 1 where id = ${world.shop.siteId}`;
      world.platform.script(({ body }, response) => refuse(response, 400, body.to.endsWith("7") ? 131009 : 131026));
      const eventIds = await Promise.all(
        phones.map(async (phone) => {
          const { json } = await postEvent(world.gateway, world.shop, { ...anEvent, customer: { phone_e164: phone } });
          return json["event_id"];
        }),
      );
      expect(new Set(eventIds).size).toBe(60);
      world.platform.sends.splice(0);
      world.platform.script(() => newMessageId());
      const from = new Date(Date.now() - 60_000).toISOString();
      const filter = { siteId: world.shop.siteId, event: "order.created", from, to: "2100-01-01" };
      const before = await one.notifications.resendCount.query({ ...filter, errorCode: "131026" });
      expect(before.errors.map(({ code, resend }) => [code, resend])).toEqual([["131026", "later"]]);
      const start = async (input: object) => {
        const { job } = await one.notifications.resendMany.mutate({ ...filter, ...input });
        return await waitFor("the job's end", async () => {
          const now = (await other.notifications.resendJob.query({ id: job.id })).job;
          return now.finishedAt !== null && now;
        });
      };
      // Nobody has looked at these messages, so they are left alone.
      expect(await start({})).toMatchObject({ resent: 0, refused: expect.any(Number) });
      const finished = await Promise.all([start({ errorCode: "131026" }), start({ errorCode: "131026" })]);
      const wanted = phones.filter((phone) => !phone.endsWith("7"));
      const sentAgain = () => world.platform.sends.map(({ body }) => body.to).filter((to) => phones.includes(to));
      // Messages of earlier tests with the same failure are among them.
      const resent = finished.reduce((sum, job) => sum + job.resent, 0);
      await waitFor("all resends", () => world.platform.sends.length >= resent);
      expect(sentAgain().toSorted()).toEqual(wanted);
      expect(world.platform.sends).toHaveLength(resent);
      expect((await one.notifications.resendCount.query({ ...filter, errorCode: "131026" })).total).toBe(0);
      expect((await one.notifications.resendCount.query({ ...filter, errorCode: "131009" })).total).toBeGreaterThanOrEqual(6);
      const left = (await one.notifications.list.query({ ...filter, errorCode: "131009" })).items.slice(0, 2);
      for (const chosen of [{ ids: left.map(({ id }) => id) }, { eventIds: left.map(({ eventId }) => eventId) }]) {
        expect(await one.notifications.resendCount.query(chosen)).toMatchObject({ total: 2, errors: [{ code: "131009", count: 2 }] });
        await expect(one.notifications.resendMany.mutate(chosen)).resolves.toMatchObject({ job: { total: 2 } });
      }
      const none = { ...filter, errorCodes: ["131026", "not a code"] };
      expect(await one.notifications.resendCount.query(none)).toMatchObject({ total: 0, errors: [] });
      expect(await start({ errorCodes: none.errorCodes })).toMatchObject({ total: 0, resent: 0, refused: 0 });
    });
  });
});
