import { signBody } from "shared/secrets/signature";
import { expect, it } from "vitest";
import { startLoad } from "../../support/faults/event-load.ts";
import { violations } from "../../support/faults/invariants.ts";
import { report } from "../../support/faults/report.ts";
import { scaled, scenarioRandom } from "../../support/faults/scale.ts";
import { shortLimits } from "../../support/faults/short-limits.ts";
import { openWorld } from "../../support/faults/world.ts";
import { openGateway } from "../../support/gateway/open-gateway.ts";
import { postUpdates } from "../../support/gateway/post-callback.ts";
import { openShop } from "../../support/gateway/shop.ts";

const events = scaled(80, 2000);
const storms = scaled(60, 2000);
const words = ["sent", "delivered", "read", "failed"];

it(
  "callbacks that are repeated, late, out of order and contradictory only ever move a status up; forged ones move nothing",
  async () => {
    const random = scenarioRandom(501);
    await using world = await openWorld(random);
    await using one = await openGateway(world.databaseUrl, world.platform.url, {}, shortLimits);
    await using other = await openGateway(world.databaseUrl, world.platform.url, {}, shortLimits);
    world.gateways.push(one.url, other.url);
    const stranger = await openShop(world.sql);
    const [{ shop } = { shop: stranger }] = world.shops;
    const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events, clients: 8 });

    // What has been said of each message in truth, or by somebody who may not speak for it.
    const said = new Map<string, Set<string>>();
    const forgeries = { bodies: 0, accepted: 0, changed: 0 };
    const storm = async (): Promise<void> => {
      const { body, id } = random.pick(world.platform.taken);
      const status = random.pick(words);
      const update = {
        id,
        status,
        timestamp: String(Math.floor(Date.now() / 1000) - random.whole(0, 86_400)),
        recipient_id: body.to.slice(1),
        biz_opaque_callback_data: body.biz_opaque_callback_data,
        ...(status === "failed" && { errors: [{ code: 131026, title: "Undeliverable" }] }),
      };
      if (random.often(0.3)) return await forge(update);
      said.set(id, (said.get(id) ?? new Set()).add(status));
      const times = random.whole(1, 4);
      const answers = await Promise.all(
        Array.from({ length: times }, async () => postUpdates({ url: random.pick(world.gateways) }, shop, [update, update])),
      );
      expect(answers.map(({ status: code }) => code)).toEqual(Array.from({ length: times }, () => 200));
    };
    const forge = async (update: object): Promise<void> => {
      forgeries.bodies += 1;
      const url = { url: random.pick(world.gateways) };
      const unsigned = await postUpdates(url, { ...shop, appSecret: stranger.appSecret }, [update]);
      expect(unsigned.status).toBe(401);
      // Signed, but by an account that has nothing to do with the message.
      expect((await postUpdates(url, stranger, [{ ...update, status: "read" }])).status).toBe(200);
      const tampered = Buffer.from(JSON.stringify({ entry: [update] }));
      const headers = {
        "Content-Type": "application/json",
        "X-Hub-Signature-256": signBody(shop.appSecret, Buffer.concat([tampered, Buffer.from(" ")])),
      };
      const response = await fetch(`${url.url}/api/public/platform/webhook/${shop.accountId}`, { method: "POST", headers, body: tampered });
      expect(response.status).toBe(401);
    };
    await done;
    for (let i = 0; i < storms; i += 10) await Promise.all(Array.from({ length: 10 }, storm));

    const found = (await violations({ ...world, ledger, excuses: null })).filter(
      (problem) => !problem.startsWith("taken, but in the log as failed"),
    );
    const rows = await world.sql<
      { wa_message_id: string; status: string }[]
    >`select wa_message_id, status::text from notification where wa_message_id is not null`;
    const ladder = ["sent", "failed", "delivered", "read"];
    for (const { wa_message_id: id, status } of rows) {
      const highest = [...(said.get(id) ?? []), "delivered"].map((word) => ladder.indexOf(word)).reduce((a, b) => Math.max(a, b));
      if (ladder.indexOf(status) < highest) found.push(`${id} is ${status}, although ${[...(said.get(id) ?? [])].join()} was said`);
      if (status === "read" && !said.get(id)?.has("read") && !world.platform.said(id).includes("read"))
        found.push(`${id} is read, which only a forger said`);
    }
    report("callbacks", { seed: random.seed, events, storms, forgeries: forgeries.bodies, violations: found.length });
    expect(found).toEqual([]);
  },
  scaled(60_000, 300_000),
);
