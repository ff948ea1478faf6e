import { forgetEndedSecrets, type SiteSecretKind } from "shared/db/site-secret";
import { describe, expect, it } from "vitest";
import { refusal } from "../support/admin.ts";
import { postEvent, type Sender } from "../support/requests.ts";
import { shared } from "../support/shared.ts";
import { waitFor } from "../support/wait-for.ts";
import { openSecretsWorld, type Site } from "./secrets-world.ts";

const world = shared(async () => openSecretsWorld());

/** The name of either kind, its rotation, and the gateway's refusal of one that has ended. */
const kinds: {
  kind: SiteSecretKind;
  member: keyof Sender;
  refused: string;
  rotate: (site: Site, overlapSeconds?: number) => Promise<string>;
}[] = [
  {
    kind: "webhook_secret",
    member: "secret",
    refused: "Invalid signature",
    rotate: async ({ id }, overlapSeconds) => (await world.sites.rotateWebhookSecret.mutate({ id, overlapSeconds })).webhookSecret,
  },
  {
    kind: "api_key",
    member: "key",
    refused: "Invalid site key",
    rotate: async ({ id }, overlapSeconds) => (await world.sites.rotateApiKey.mutate({ id, overlapSeconds })).apiKey,
  },
];

/** Makes a dry run at each gateway; answers 200, or the refusal's words. It has no timestamp, since some gateways have another time. */
const outcomes = async (sender: Sender): Promise<unknown[]> =>
  Promise.all(
    world.gateways.map(async (gateway) => {
      const { status, json } = await postEvent(gateway, sender, undefined, {
        headers: { "X-Service-Timestamp": null, "X-Service-Mode": "test" },
      });
      return status === 200 ? 200 : json["error"];
    }),
  );
const everywhere = (outcome: unknown): unknown[] => world.gateways.map(() => outcome);

describe.each(kinds)("rotating the $kind", ({ kind, member, refused, rotate }) => {
  const expiryOf = async (site: Site): Promise<number[]> =>
    (await world.sites.get.query({ id: site.id })).secrets
      .filter((secret) => secret.kind === kind && secret.expiresAt !== null)
      .map(({ expiresAt }) => Date.parse(expiresAt ?? ""));

  it("ends the old one at once, at every gateway", async () => {
    const site = await world.openSite();
    expect(await outcomes(site.sender)).toEqual(everywhere(200));
    const next = { ...site.sender, [member]: await rotate(site) };
    expect(await outcomes(site.sender)).toEqual(everywhere(refused));
    expect(await outcomes(next)).toEqual(everywhere(200));
    expect(await expiryOf(site)).toEqual([]);
  });

  it("with an overlap lets both count, the old one until its time exactly", async () => {
    const site = await world.openSite();
    const next = { ...site.sender, [member]: await rotate(site, 86_400) };
    expect(await outcomes(site.sender)).toEqual(everywhere(200));
    expect(await outcomes(next)).toEqual(everywhere(200));
    const [end = 0] = await expiryOf(site);
    expect(Math.abs(end - Date.now() - 86_400_000)).toBeLessThan(60_000);
    for (const [time, outcome] of [
      [end - 1, 200],
      [end, refused],
      [end - 1, 200],
      [end + 86_400_000, refused],
    ] as const) {
      world.setTime(time);
      expect([time - end, await outcomes(site.sender), await outcomes(next)]).toEqual([time - end, everywhere(outcome), everywhere(200)]);
    }
    world.setTime(null);
  });

  it("is bounded, and what has ended is forgotten", async () => {
    const site = await world.openSite();
    const senders = [site.sender];
    for (let i = 0; i < 4; i += 1) senders.push({ ...site.sender, [member]: await rotate(site, 60 + i) });
    const answer = await refusal(rotate(site, 60));
    expect(answer).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("without an overlap") });
    for (const sender of senders) expect(await outcomes(sender)).toEqual(everywhere(200));
    await world.sql`update site_secret set expires_at = now() - interval '2 hours' where site_id = ${site.id} and expires_at is not null`;
    expect(await expiryOf(site)).toEqual([]);
    await forgetEndedSecrets(world.sql);
    expect(await world.sql`select id from site_secret where site_id = ${site.id} and kind = ${kind}`).toHaveLength(1);
    expect(await outcomes(senders[4] ?? site.sender)).toEqual(everywhere(200));
    expect(await outcomes(site.sender)).toEqual(everywhere(refused));
  });
});

it("two rotations at once leave one current secret, the one that was answered last", async () => {
  const site = await world.openSite();
  const made = await Promise.all(Array.from({ length: 5 }, async () => world.sites.rotateWebhookSecret.mutate({ id: site.id })));
  const rows = await world.sql`select id from site_secret where site_id = ${site.id} and kind = 'webhook_secret'`;
  expect(rows).toHaveLength(1);
  const good: unknown[] = [];
  for (const { webhookSecret } of made)
    good.push(...(await outcomes({ ...site.sender, secret: webhookSecret })).filter((outcome) => outcome === 200));
  expect(good).toEqual(everywhere(200));
});

it("shows which secrets count and when each was last used, without a new configuration", async () => {
  const site = await world.openSite();
  const version = async () => (await world.sql`select config_version from site where id = ${site.id}`)[0]?.["config_version"] as string;
  const webhookSecret = await kinds[0]?.rotate(site, 3_600);
  await world.sql`update site set connected_at = now() where id = ${site.id}`;
  const before = await version();
  const secrets = async () => (await world.sites.get.query({ id: site.id })).secrets;
  const any: unknown = expect.any(String);
  const secret = (kind: string, hint: string, expiresAt: unknown = null) => ({
    id: any,
    kind,
    hint,
    createdAt: any,
    expiresAt,
    lastUsedAt: null,
  });
  expect(await secrets()).toEqual([
    secret("api_key", `sk_live_…${site.sender.key.slice(-4)}`),
    secret("webhook_secret", `whs_…${webhookSecret?.slice(-4)}`),
    secret("webhook_secret", `whs_…${site.sender.secret.slice(-4)}`, any),
  ]);
  // The old one is still in use, which operators check before it ends.
  await outcomes({ ...site.sender, secret: "made up" });
  expect(await outcomes(site.sender)).toEqual(everywhere(200));
  await waitFor("the uses to be written", async () => (await secrets()).filter(({ lastUsedAt }) => lastUsedAt !== null).length === 2);
  expect((await secrets()).map(({ lastUsedAt }) => lastUsedAt !== null)).toEqual([true, false, true]);
  expect(await version()).toBe(before);
});
