import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAdminClient } from "admin-server/client";
import { freePort } from "shared/postgres/cluster";
import { expect, it } from "vitest";
import { untilSound } from "../faults/harness/invariants.ts";
import { startLoad } from "../faults/harness/load.ts";
import { scenarioRandom } from "../faults/harness/scale.ts";
import { openWorld } from "../faults/harness/world.ts";
import { openAdminOn } from "../support/admin.ts";
import { masterKey, openGateway } from "../support/gateway.ts";
import { finished, root, startProcess } from "../support/process.ts";
import { waitFor } from "../support/wait-for.ts";

/** The commit whose programs run on the newest schema until a release follows 1.0.0. */
const earlier = "7cf79916";

const git = (...args: string[]): Buffer => execFileSync("git", ["-C", root, ...args], { maxBuffer: 2 ** 30, stdio: "pipe" });
const isKnown = (): boolean => {
  try {
    return git("cat-file", "-t", earlier).toString().trim() === "commit";
  } catch {
    return false;
  }
};

it.skipIf(!isKnown())(
  "gateway and admin server of the release before work on the newest schema beside the present ones (needs the history of git)",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "tidings-before-"));
    await using _gone = { [Symbol.asyncDispose]: async () => rm(folder, { recursive: true, force: true }) };
    execFileSync("tar", ["-x", "-C", folder], { input: git("archive", earlier) });
    const built = await finished(startProcess(["npm", "run", "--silent", "build"], { cwd: folder }));
    if (built.code !== 0) throw new Error(built.stderr);

    const random = scenarioRandom(1801);
    await using world = await openWorld(random);
    const [gatewayPort, adminPort] = [await freePort(), await freePort()];
    const env = {
      DATABASE_URL: world.databaseUrl,
      MASTER_KEY: masterKey.toString("base64"),
      PLATFORM_API_URL: world.platform.url,
      WEBHOOK_ALLOW_PRIVATE: "127.0.0.0/8",
      GATEWAY_PORT: String(gatewayPort),
      ADMIN_PORT: String(adminPort),
      LOG_LEVEL: "warn",
    };
    const url = `http://127.0.0.1:${gatewayPort}`;
    const adminUrl = `http://127.0.0.1:${adminPort}`;
    await using present = await openGateway(world.databaseUrl, world.platform.url);
    await using before = startProcess([process.execPath, "gateway/dist/main.js"], { cwd: folder, env });
    await using adminBefore = startProcess([process.execPath, "admin-server/dist/main.js"], { cwd: folder, env });
    const serves = async (path: string): Promise<boolean> =>
      fetch(path).then(
        ({ ok }) => ok,
        () => false,
      );
    await waitFor("the gateway of before", () => serves(`${url}/api/public/ready`), 60_000);
    await waitFor("the admin server of before", () => serves(`${adminUrl}/healthz`), 60_000);

    world.gateways.push(present.url, url);
    const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events: 600, clients: 32 });
    await done;
    await untilSound("the release before beside the present one", { ...world, ledger, random, excuses: [], counts: {} });

    await using admin = await openAdminOn(world.databaseUrl, { masterKey });
    const { client, token } = await admin.signUp();
    const shop = { url: "https://shop.example", sourceType: "generic" } as const;
    const clientBefore = createAdminClient({ url: adminUrl, token });
    await client.sites.create.mutate({ name: "Made now", ...shop });
    await clientBefore.sites.create.mutate({ name: "Made before", ...shop });
    const names = async (of: typeof client) => (await of.sites.list.query()).items.map(({ name }) => name).toSorted();
    expect(await names(client)).toEqual(["Made before", "Made now"]);
    expect(await names(clientBefore)).toEqual(["Made before", "Made now"]);

    expect(await before.kill("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(await adminBefore.kill("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(before.stdout() + adminBefore.stdout()).not.toContain('"level":"error"');
  },
  600_000,
);
