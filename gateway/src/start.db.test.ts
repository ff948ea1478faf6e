import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { freePort } from "shared/postgres/cluster";
import { openVault } from "shared/sealing/open-vault";
import { expect, it } from "vitest";
import { data } from "../../test/support/data.ts";
import { testDatabase } from "../../test/support/database.ts";
import { masterKey, openGateway, openShop } from "../../test/support/gateway.ts";
import { startScriptedPlatform } from "../../test/support/platform.ts";
import { addOutboundSecret, addWebhook, startReceiver } from "../../test/support/receiver.ts";
import { anEvent, postEvent, postStatus } from "../../test/support/requests.ts";
import { waitFor } from "../../test/support/wait-for.ts";

it("another master key than the stored secrets' is one line at the start, not an error at the first event", async () => {
  await using database = await testDatabase();
  await openVault(database.sql, { masterKey });
  await expect(openGateway(database.url, "http://127.0.0.1:9", { masterKey: randomBytes(32) })).rejects.toMatchObject({
    name: "ConfigurationError",
    message: expect.stringMatching(/^MASTER_KEY is not the one/),
  });
});

it("has the connections for events open before the first of them comes", async () => {
  await using database = await testDatabase();
  await using _gateway = await openGateway(database.url, "http://127.0.0.1:9");
  const rows = await database.sql`
    select from pg_stat_activity where datname = current_database() and application_name = 'tidings-gateway-events'`;
  expect(rows).toHaveLength(4);
});

it("never has more connections than it may, however long the database holds its statements", async () => {
  await using database = await testDatabase();
  const shop = await openShop(database.sql);
  await using gateway = await openGateway(database.url, "http://127.0.0.1:9", {}, { statementMs: 300, dueMs: 20, sweepMs: 20 });
  const connections = async (): Promise<number> =>
    (await database.owner`select from pg_stat_activity where datname = current_database() and application_name like 'tidings-gateway%'`)
      .length;
  const counts: number[] = [];
  const answers: Promise<unknown>[] = [];
  await database.owner.begin(async (sql) => {
    await sql`lock table notification in access exclusive mode`;
    // A connection that is silent for so long is replaced, three times and more.
    for (let look = 0; look < 20; look += 1) {
      for (let n = 0; n < 4; n += 1) answers.push(postEvent(gateway, shop));
      await new Promise((resolve) => setTimeout(resolve, 150));
      counts.push(await connections());
    }
  });
  await Promise.all(answers);
  expect(Math.max(...counts)).toBeLessThanOrEqual(14);
});

it("counts each event, stage, message and status once, and shows what waits at one gateway alone", async () => {
  await using database = await testDatabase();
  await using platform = await startScriptedPlatform();
  platform.script(() => "wamid.1");
  const shop = await openShop(database.sql);
  const ports = await Promise.all([freePort(), freePort()]);
  const scrape = async (port: number | undefined, of: RegExp): Promise<string[]> => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return text.split("\n").filter((line) => of.test(line));
  };
  const shown = async () =>
    (await Promise.all(ports.map((port) => scrape(port, /^tidings_(queue|in_doubt)/)))).map((lines) => lines.length);
  const first = await openGateway(database.url, platform.url, { metricsPort: ports[0] }, { backlogMs: 50 });
  {
    await using _first = first;
    await waitFor("its numbers", async () => (await scrape(ports[0], /^tidings_queue_oldest/)).length === 1);
  }
  await using gateway = await openGateway(database.url, platform.url, { metricsPort: ports[0] }, { backlogMs: 50 });
  await waitFor("the lease", async () => (await scrape(ports[0], /^tidings_queue_oldest/)).length === 1);
  await using _other = await openGateway(database.url, platform.url, { metricsPort: ports[1] }, { backlogMs: 50 });
  expect(await shown()).toEqual([4, 0]);

  await postEvent(gateway, shop);
  await postEvent(gateway, shop, anEvent, { headers: { "X-Service-Mode": "test" } });
  await postEvent(gateway, shop, anEvent, { headers: { "X-Service-Signature": "0".repeat(64) } });
  const [send] = platform.sends;
  for (let times = 0; times < 2; times += 1) if (send !== undefined) await postStatus(gateway, shop, send.body, "delivered", "wamid.1");
  const counted = await scrape(
    ports[0],
    /^tidings_(events|messages|stage_seconds_count|platform|requests|event_to_delivered_seconds_count)/,
  );
  expect(counted.toSorted()).toEqual(data("gateway-start", "counts each event, stage, message and status once, and shows"));
  expect(
    (await scrape(ports[0], /^tidings_(batch_size|pool_wait_seconds|callback_delay_seconds)_count|^tidings_(in_flight|build_info)/)).length,
  ).toBe(6);
  expect((await fetch(`http://127.0.0.1:${ports[0]}/`)).status).toBe(404);

  const shownNames = await scrape(ports[0], /^# TYPE /);
  const known = shownNames.flatMap((line) => {
    const [, , name = "", type] = line.split(" ");
    return type === "histogram" ? ["_bucket", "_sum", "_count"].map((part) => name + part) : [name];
  });
  for (const file of ["grafana/tidings.json", "prometheus/alerts.yaml", "helm/templates/parts.yaml"]) {
    const text = readFileSync(new URL(`../deploy/${file}`, import.meta.url), "utf8");
    const asked = new Set(text.match(/\b(?:tidings|process|nodejs)_\w+/g));
    expect(asked.size).toBeGreaterThan(0);
    expect([...asked].filter((name) => !known.includes(name))).toEqual([]);
  }
});

it("tells a collector one trace of an event: its request, the queue, the platform's callback and the delivery at an endpoint", async () => {
  await using database = await testDatabase();
  await using platform = await startScriptedPlatform();
  await using endpoint = await startReceiver();
  await using collector = await startReceiver();
  const shop = await openShop(database.sql);
  await addOutboundSecret(database.sql, shop);
  await addWebhook(database.sql, shop, { url: endpoint.url });
  const tracing = { otlpEndpoint: new URL(collector.url).origin };
  const post = async (): Promise<unknown> => {
    await using gateway = await openGateway(database.url, platform.url, tracing, { dueMs: 20 });
    const { json } = await postEvent(gateway, shop, anEvent, { headers: { Prefer: "respond-async" } });
    await waitFor("the message", () => platform.sends.length === 1);
    const [send] = platform.sends;
    if (send !== undefined) await postStatus(gateway, shop, send.body, "delivered", "wamid.1");
    await waitFor("its deliveries", async () => (await database.sql`select from webhook_delivery where status = 'pending'`).length === 0);
    return json["event_id"];
  };
  const eventId = String(await post());
  const told = collector.received.map(({ json }) => json as unknown as Told);
  const spans = told.flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
  expect([...new Set(spans.map(({ traceId }) => traceId))]).toEqual([eventId.replaceAll("-", "")]);
  const [whole] = spans.filter(({ parentSpanId }) => !parentSpanId);
  expect(whole?.name).toBe("event");
  const parts = spans.filter((span) => span !== whole);
  expect(new Set(parts.map(({ name }) => name))).toEqual(new Set(["authenticate", "plan", "claim", "queue", "callback", "delivery"]));
  expect(new Set(parts.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([whole?.spanId]));
  expect(spans.filter((span) => BigInt(span.endTimeUnixNano) < BigInt(span.startTimeUnixNano))).toEqual([]);
});

interface Told {
  resourceSpans: {
    scopeSpans: {
      spans: { traceId: string; spanId: string; parentSpanId?: string; name: string; startTimeUnixNano: string; endTimeUnixNano: string }[];
    }[];
  }[];
}
