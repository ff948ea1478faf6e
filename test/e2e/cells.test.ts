import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "shared/postgres/cluster";
import { makeInboundToken, makeSiteKey, writeId } from "shared/secrets/site-key";
import { expect, test, vi } from "vitest";
import { data } from "../support/data.ts";
import { openShop } from "../support/gateway.ts";
import { startProcess } from "../support/process.ts";
import { postEvent } from "../support/requests.ts";
import { waitFor } from "../support/wait-for.ts";
import { type Installation, twoCells } from "./cells.ts";

vi.setConfig({ testTimeout: 240_000 });

const haproxy = "/usr/sbin/haproxy";
test.runIf(existsSync(haproxy))("HAProxy finds the cell of a key, a token and a callback, and what has moved, by its maps", async () => {
  await using world = await twoCells();
  const [one, other] = world.cells;
  const ports = await Promise.all([freePort(), freePort()]);
  const folder = await mkdtemp(join(tmpdir(), "tidings-cells-"));
  await cp("gateway/deploy/cells", folder, { recursive: true });
  const config = (await readFile(join(folder, "haproxy.cfg"), "utf8"))
    .replace("bind :8080", `bind 127.0.0.1:${ports[0]}`)
    .replace("127.0.0.1:4000", new URL(one.gateway.url).host)
    .replace("backend eu1", "backend c2")
    .replace("127.0.0.1:4010", new URL(other.gateway.url).host);
  await writeFile(join(folder, "haproxy.cfg"), config);
  await writeFile(join(folder, "maps/cells.map"), "c2 c2\n");
  const run = () => startProcess([haproxy, "-f", join(folder, "haproxy.cfg")]);
  const proxy = { url: `http://127.0.0.1:${ports[0]}` };
  /** A shop of the installation, whose key and token name the cell. */
  const shopOf = async ({ database: { sql } }: Installation, cell?: string) => {
    const shop = await openShop(sql);
    const key = makeSiteKey(shop.siteId, { cell });
    await sql`update site_secret set key_hash = ${key.hash} where site_id = ${shop.siteId} and kind = 'api_key'`;
    const token = makeInboundToken(cell);
    await sql`update site set inbound_token = ${token} where id = ${shop.siteId}`;
    return { ...shop, key: key.key, token, cell };
  };
  const doors = async ({ token, cell, ...shop }: Awaited<ReturnType<typeof shopOf>>): Promise<number[]> => {
    const callback = `${proxy.url}/api/public/platform/webhook/${cell === undefined ? "" : `${cell}.`}${shop.accountId}`;
    const shaken = `${callback}?hub.mode=subscribe&hub.challenge=1&hub.verify_token=verify`;
    const posted = await fetch(`${proxy.url}/api/public/in/${token}`, { method: "POST", body: "{}" });
    return [(await postEvent(proxy, shop)).status, posted.status, (await fetch(shaken)).status];
  };
  // The shop's secrets are sealed with the first cell's key, so that the second finds the site, and cannot read it.
  const [plain, named, moved] = [await shopOf(one), await shopOf(other, "c2"), await shopOf(one, "c2")];
  {
    await using running = run();
    await waitFor("the proxy", () =>
      fetch(`${proxy.url}/api/public/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    expect([await doors(plain), (await doors(named)).slice(0, 2), await doors(moved), running.isRunning()]).toEqual(
      data("test-e2e-cells", "expected"),
    );
  }
  await writeFile(join(folder, "maps/sites.map"), `${writeId(moved.siteId)} default\n`);
  await writeFile(join(folder, "maps/tokens.map"), `${moved.token} default\n`);
  await writeFile(join(folder, "maps/accounts.map"), `${moved.accountId} default\n`);
  await one.database.sql`update account set cells = '{c2}' where id = ${moved.accountId}`;
  await using again = run();
  await waitFor("the proxy again", () =>
    fetch(`${proxy.url}/api/public/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  expect([await doors(moved), again.isRunning()]).toEqual([[200, 401, 200], true]);
  await rm(folder, { recursive: true });
});
