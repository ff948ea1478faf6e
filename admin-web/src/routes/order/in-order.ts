import type { statusWords } from "../../ui/status-words.ts";

interface Entry {
  at: string;
  what: "received" | keyof typeof statusWords;
}

const rank: Record<Entry["what"], number> = { received: 0, made: 1, sent: 2, delivered: 3, failed: 3, read: 4 };

/** By time. The platform tells whole seconds: within one, what comes first by its nature stands first. */
export const inOrder = <E extends Entry>(entries: readonly E[]): E[] =>
  entries.toSorted((a, b) => secondOf(a) - secondOf(b) || rank[a.what] - rank[b.what]);

const secondOf = ({ at }: Entry): number => Math.floor(Date.parse(at) / 1000);
