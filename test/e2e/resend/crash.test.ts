import { afterAll, beforeAll, expect, it } from "vitest";
import type { AdminClient } from "../../support/admin/open-admin.ts";
import { openShopWorld, type ShopWorld } from "../../support/admin/shop-world.ts";
import { postStatus } from "../../support/gateway/post-callback.ts";
import { anEvent, postEvent } from "../../support/gateway/post-event.ts";
import { newMessageId, refuse } from "../../support/gateway/scripted-platform.ts";
import { type GatewayProcess, spawnGateway } from "../../support/gateway/spawn-gateway.ts";
import { waitFor } from "../../support/wait-for.ts";

let world: ShopWorld;
let admin: AdminClient;
let messageIds: string[];
beforeAll(async () => {
  world = await openShopWorld();
  admin = world.admins[0]?.client ?? (await Promise.reject(new Error("no admin server")));
  world.platform.script((_, response) => refuse(response, 400, 131026));
  for (const order of ["1", "2", "3"]) await postEvent(world.gateway, world.shop, { ...anEvent, order: { id: order } });
  messageIds = (await admin.notifications.list.query()).items.map(({ id }) => id);
  world.platform.sends.splice(0);
  // From now on there is only the gateway that the test starts.
  await world.gateway[Symbol.asyncDispose]();
});
afterAll(async () => world?.[Symbol.asyncDispose]());

const timeLimits = { leaseMs: 3000, sweepMs: 50 };
const spawn = () => spawnGateway({ databaseUrl: world.database.url, platformApiUrl: world.platform.url, inDoubtSeconds: 1, timeLimits });
const resend = async (at: number) => (await admin.notifications.resend.mutate({ id: messageIds[at] ?? "" })).notification.id;
const until = (id: string, status: string) =>
  waitFor(`a message that is ${status}`, async () => (await admin.notifications.get.query({ id })).notification.status === status);

it("a resend that nobody is there for waits for a gateway", async () => {
  const id = await resend(0);
  expect((await admin.notifications.get.query({ id })).notification.status).toBe("queued");
  world.platform.script(() => newMessageId());
  await using _ = await spawn();
  await until(id, "sent");
  expect(world.platform.sends).toHaveLength(1);
});

it("a resend whose gateway is killed under way is settled by the platform's word, and not sent twice", async () => {
  world.platform.sends.splice(0);
  const doomed: GatewayProcess = await spawn();
  world.platform.script(() => {
    doomed.kill("SIGKILL");
    return undefined;
  });
  const id = await resend(1);
  await doomed.ended;
  world.platform.script(() => newMessageId());
  await using survivor = await spawn();
  const send = world.platform.sends[0]?.body;
  if (send === undefined) throw new Error("nothing was sent");
  await postStatus(survivor, world.shop, send, "delivered", newMessageId());
  await until(id, "delivered");
  await waitFor("its event's end", async () => (await world.sql`select from event where lease_until is not null`).length === 0);
  expect(world.platform.sends).toHaveLength(1);
});

it("one of which the platform never heard is sent again, though its event had no key", async () => {
  world.platform.sends.splice(0);
  await world.sql`insert into platform_callback values (${world.shop.accountId}, now()) on conflict (account_id) do update set last_at = now()`;
  const doomed: GatewayProcess = await spawn();
  world.platform.script(() => {
    doomed.kill("SIGKILL");
    return undefined;
  });
  const id = await resend(2);
  await doomed.ended;
  world.platform.script(() => newMessageId());
  await using _ = await spawn();
  await until(id, "sent");
  expect(world.platform.sends).toHaveLength(2);
  expect((await admin.notifications.get.query({ id })).notification.attempt).toBe(2);
});
