import { expect, it } from "vitest";
import { breakAnswers } from "../../support/faults/broken-answers.ts";
import { startLoad } from "../../support/faults/event-load.ts";
import { recoveryMs, violations } from "../../support/faults/invariants.ts";
import { report } from "../../support/faults/report.ts";
import { scaled, scenarioRandom } from "../../support/faults/scale.ts";
import { shortLimits } from "../../support/faults/short-limits.ts";
import { openWorld } from "../../support/faults/world.ts";
import { openGateway } from "../../support/gateway/open-gateway.ts";
import { anEvent, postEvent } from "../../support/gateway/post-event.ts";
import { waitFor } from "../../support/wait-for.ts";

const events = scaled(120, 3000);

it(
  "a platform that resets, hangs, drips, lies, refuses and answers in HTML costs nobody a second message and no answer",
  async () => {
    const random = scenarioRandom(401);
    await using world = await openWorld(random);
    await using gateway = await openGateway(world.databaseUrl, world.platform.url, {}, shortLimits);
    world.gateways.push(gateway.url);
    const counts: Record<string, number> = {};
    world.platform.behave(breakAnswers(random, 0.3, counts));
    const { ledger, done } = startLoad({ random, shops: world.shops, gateways: () => world.gateways, events, clients: 24 });
    await done;
    // Whatever it did, the request was answered: nobody was asked to come back.
    expect(ledger.refused).toBe(0);

    world.platform.behave(() => ({ takes: true, answer: null }));
    const [, { shop } = { shop: null }] = world.shops;
    const isSent = async (): Promise<boolean> => shop !== null && (await postEvent(gateway, shop, anEvent)).json["chat"] === "sent";
    await waitFor("the first message after the fault", isSent, recoveryMs);
    const found = await violations({ ...world, ledger, excuses: null });
    report("a broken platform", { seed: random.seed, events, requests: ledger.requests, ...counts, violations: found.length });
    expect(found).toEqual([]);
  },
  scaled(60_000, 600_000),
);
