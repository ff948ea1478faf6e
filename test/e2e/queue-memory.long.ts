import { readFileSync } from "node:fs";
import { readBacklog } from "shared/db/waiting/list";
import { expect, it } from "vitest";
import { createAsker } from "../faults/harness/load.ts";
import { report } from "../faults/harness/scale.ts";
import { testDatabase } from "../support/database.ts";
import { openShop, spawnGateway } from "../support/gateway.ts";
import { newMessageId, startScriptedPlatform } from "../support/platform.ts";
import { waitFor } from "../support/wait-for.ts";

const [blocks, blockSize, clients] = [10, 10_000, 32];

/** The most memory that a process has had since the last call, looked at twice a second. Linux tells it. */
function watchMemory(pid: number) {
  const megabytes = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, megabytes())), 500);
  return {
    most: () => {
      const answer = Math.round(Math.max(most, megabytes()));
      most = 0;
      return answer;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

it.skipIf(process.platform !== "linux")(
  "100,000 messages are queued as fast in the end as in the beginning and sent afterwards, and a gateway's memory stays flat",
  { timeout: 900_000 },
  async () => {
    await using database = await testDatabase();
    const { sql } = database;
    await using platform = await startScriptedPlatform();
    platform.script(() => (platform.sends.splice(0), newMessageId()));
    const shop = await openShop(sql);
    await sql`update site set hold_messages = true where id = ${shop.siteId}`;
    await using gateway = await spawnGateway({ databaseUrl: database.url, platformApiUrl: platform.url });
    using asker = createAsker(gateway.url, "queued", ["Prefer: respond-async"]);
    using memory = watchMemory(gateway.pid);

    const rates: number[] = [];
    const accepting: number[] = [];
    for (let block = 0; block < blocks; block += 1) {
      let left = blockSize;
      const since = performance.now();
      const client = async () => {
        while ((left -= 1) >= 0) expect((await asker.ask(shop)).status).toBe(202);
      };
      await Promise.all(Array.from({ length: clients }, client));
      rates.push(Math.round((1000 * blockSize) / (performance.now() - since)));
      accepting.push(memory.most());
    }
    const asked = performance.now();
    expect(await readBacklog(sql, shop.accountId, { siteId: null })).toMatchObject({ scheduled: blocks * blockSize, queued: 0 });
    report("queued", {
      messages: blocks * blockSize,
      "accepted/s": rates.join(" "),
      MB: accepting.join(" "),
      "backlog ms": Math.round(performance.now() - asked),
    });

    await database.owner`analyze`;
    const since = performance.now();
    await sql`update site set hold_messages = false where id = ${shop.siteId}`;
    const draining: number[] = [];
    for (let left = blocks - 1; left >= 0; left -= 1) {
      const behind = async () => (await sql`select from waiting_message offset ${left * blockSize} limit 1`).length === 0;
      await waitFor(`no more than ${left * blockSize} messages`, behind, 300_000);
      draining.push(memory.most());
    }
    report("drained", { "sent/s": Math.round((1000 * blocks * blockSize) / (performance.now() - since)), MB: draining.join(" ") });
    expect(await sql`select status, count(*)::integer from notification group by status`).toEqual([
      { status: "sent", count: blocks * blockSize },
    ]);
    expect(rates.at(-1)).toBeGreaterThan(0.7 * (rates[0] ?? 0));
    const [, early = 0] = accepting;
    expect(Math.max(...accepting.slice(1))).toBeLessThan(early + 100);
    expect(Math.max(...draining.slice(1))).toBeLessThan((draining[1] ?? 0) + 100);
  },
);
