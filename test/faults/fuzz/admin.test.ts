import { expect, it } from "vitest";
import { adminCall } from "../../support/arbitrary/admin-call.ts";
import { openAdminWorld } from "../../support/faults/fuzz/admin/admin-world.ts";
import { createAdminFuzz } from "../../support/faults/fuzz/admin/fuzz-admin.ts";
import { runFuzz } from "../../support/faults/fuzz/run-fuzz.ts";
import { standing } from "../../support/faults/fuzz/world/still-well.ts";
import { scaled, scenarioRandom } from "../../support/faults/scale.ts";

it(
  "whatever any procedure is asked with, the admin API answers as documented, shows nothing of others and stays up",
  async () => {
    await using world = await openAdminWorld();
    const { seed } = scenarioRandom(9301);
    const before = await world.theirs.client.sites.list.query({});
    const run = createAdminFuzz(world);
    const growth = await runFuzz({
      target: "tRPC",
      seed,
      cases: scaled(120, 13_000),
      atOnce: 25,
      arbitrary: adminCall,
      run,
      server: world.server,
    });
    expect(await world.theirs.client.sites.list.query({})).toEqual(before);
    expect(standing(world.server, growth)).toEqual([]);
  },
  scaled(120_000, 3_600_000),
);
