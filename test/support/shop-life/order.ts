import fc from "fast-check";
import type { Post } from "./world.ts";

/** How a post reaches us: so many rounds late, and again after so many more; `twin`: at the same moment, by another subscription. */
export interface Way {
  late: number;
  again: number | null;
  twin: boolean;
}

export const way: fc.Arbitrary<Way> = fc.record({
  late: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(6) }),
  again: fc.option(fc.nat(5), { freq: 3 }),
  twin: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

/** A stretch of posts that are lost, as the webhook was switched off. */
export const gap = fc.option(fc.record({ from: fc.nat(8), count: fc.integer({ min: 1, max: 4 }) }), { freq: 2 });

interface Sent<Fact> {
  post: Post;
  fact: Fact;
  way: Way;
  /** The same event as another subscription posts it. */
  twin?: Post;
}

/** Puts posts into the rounds in which they arrive. */
export function toRounds<Fact>(sent: readonly Sent<Fact>[], lost: { from: number; count: number } | null): { post: Post; fact: Fact }[][] {
  const rounds: { post: Post; fact: Fact }[][] = [];
  const add = (at: number, post: Post, fact: Fact): void => void (rounds[at] ??= []).push({ post, fact });
  sent.forEach(({ post, fact, way: { late, again, twin: isTwin }, twin = post }, n) => {
    if (lost !== null && n >= lost.from && n < lost.from + lost.count) return;
    add(n + late, post, fact);
    if (isTwin) add(n + late, twin, fact);
    if (again !== null) add(n + late + again + 1, post, fact);
  });
  // Rounds in which nothing arrives are holes of the list.
  return Array.from(rounds, (round) => round ?? []);
}
