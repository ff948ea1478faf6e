import { afterAll, beforeAll, expect, it } from "vitest";
import { openShopWorld, type ShopWorld } from "../support/admin-shops.ts";
import { anEvent, postEvent } from "../support/requests.ts";

let world: ShopWorld;
beforeAll(async () => {
  world = await openShopWorld();
});
afterAll(async () => world?.[Symbol.asyncDispose]());

const admin = () => {
  const [first] = world.admins;
  if (first === undefined) throw new Error("no admin server");
  return first.client;
};
const dryRun = async (payload: object) =>
  (await postEvent(world.gateway, world.shop, { ...anEvent, ...payload }, { headers: { "X-Service-Mode": "test" } })).json;
const appointment = (at: string) => ({ appointment: { at } });

it("a dry run tells when messages are due from the moment that a schedule is saved, and nothing where they leave now", async () => {
  const { bindingId } = world.shop;
  const members = ["binding_id", "template", "language", "recipients", "slots", "resolved"];
  const previewOf = async (payload: object) => ((await dryRun(payload))["previews"] as Record<string, unknown>[])[0] ?? {};
  expect(Object.keys(await previewOf({}))).toEqual(members);
  await admin().bindings.update.mutate({ id: bindingId, dueAt: { path: "appointment.at", offsetSeconds: -3600, ifPast: "skip" } });
  const inTwoDays = new Date(Math.floor(Date.now() / 1000) * 1000 + 172_800_000);
  const preview = await previewOf(appointment(inTwoDays.toISOString()));
  expect([Object.keys(preview), preview["due_at"]]).toEqual([
    [...members, "due_at"],
    new Date(inTwoDays.getTime() - 3_600_000).toISOString(),
  ]);
  await admin().bindings.update.mutate({ id: bindingId, dueAt: null });
  expect(Object.keys(await previewOf({}))).toEqual(members);
});

it("a binding whose date is past or none does not fire, live or dry, and the trace says so", async () => {
  const { bindingId } = world.shop;
  await admin().bindings.update.mutate({ id: bindingId, dueAt: { path: "appointment.at", offsetSeconds: 0, ifPast: "skip" } });
  world.platform.sends.splice(0);
  const held = { chat: "skipped_conditions", bindings_run: 0 };
  expect(await dryRun(appointment("2020-01-01"))).toMatchObject({ ...held, previews: [] });
  for (const [payload, code] of [
    [appointment("2020-01-01"), "due_past"],
    [appointment("soon"), "due_unreadable"],
    [{}, "due_unreadable"],
  ] as const) {
    const { json } = await postEvent(world.gateway, world.shop, { ...anEvent, ...payload });
    expect(json).toMatchObject({ ...held, recipients_sent: 0, recipients_failed: 0 });
    const { event } = await admin().events.get.query({ id: String(json["event_id"]) });
    expect(event.trace.bindings).toMatchObject([
      { bindingId, fired: false, reasonCodes: [{ code, path: "appointment.at" }], messages: [] },
    ]);
  }
  expect(world.platform.sends).toEqual([]);
});
