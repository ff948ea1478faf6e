import { parseJson } from "shared/core/json";
import type { JsonObject } from "shared/core/json";
import { planEvent } from "shared/core/plan";
import { inTurn } from "../load/in-turn.ts";
import { orderBody } from "../load/order-body.ts";
import { median } from "../load/percentile.ts";
import { ratioOf } from "../report/measurements.ts";
import { cell, row, say } from "../report/print.ts";
import type { Benchmark } from "./benchmark.ts";
import { largeBinding, smallBinding } from "./planned-bindings.ts";

const contestants = ["parse", "2 slots", "20 slots"] as const;
const bindings = { "2 slots": smallBinding, "20 slots": largeBinding };

/** Plans a second, without any I/O, beside the parsing of the same event. */
export const benchPlans: Benchmark = async (run) => {
  const text = orderBody(10_000);
  const payload = parseJson(text) as JsonObject;
  const plan = (size: keyof typeof bindings) =>
    planEvent({
      bindings: [bindings[size]],
      payload,
      test: false,
      site: { testPhone: null, activePhones: [] },
      account: { timezone: "Europe/Berlin", configured: true },
      now: new Date(),
    });
  for (const size of ["2 slots", "20 slots"] as const) {
    const { messages } = plan(size);
    if (messages.length !== 1 || messages[0]?.failure !== null)
      throw new Error(`the binding of ${size} does not plan a message: change it`);
  }
  const results = await inTurn(contestants, run.rounds, async (contestant) =>
    Promise.resolve(timesASecond(contestant === "parse" ? () => JSON.parse(text) as unknown : () => plan(contestant), run.seconds * 200)),
  );
  say("\nplans, times a second");
  for (const contestant of contestants) row([contestant, cell(median(results[contestant]))]);
  return (["2 slots", "20 slots"] as const).flatMap((size) => [
    { name: `plans a second, ${size}`, value: median(results[size]), decimals: 0 },
    ratioOf({ name: `plan of ${size} / parsing the event` }, results[size], results.parse, (each) => each),
  ]);
};

/** Runs for so many milliseconds, after as many to warm up. */
function timesASecond(work: () => unknown, ms: number): number {
  repeat(work, ms);
  const started = performance.now();
  return (repeat(work, ms) / (performance.now() - started)) * 1000;
}

/** Looks at the clock now and then only: some of the work is about as short as that. */
function repeat(work: () => unknown, ms: number): number {
  let times = 0;
  let made: unknown;
  for (const until = performance.now() + ms; performance.now() < until; times += 10) {
    for (let i = 0; i < 10; i += 1) made = work();
  }
  // Looked at, so that the work is not optimised away.
  if (made === undefined) throw new Error("the work makes nothing");
  return times;
}
