import { setTimeout as sleep } from "node:timers/promises";
import { type Checked, type Finding, openLook } from "./compare.ts";
import { checkEvents } from "./events.ts";
import { checkMessages } from "./messages.ts";
import { checkOperations } from "./operations.ts";
import { checkProblems } from "./problems.ts";
import { readRows, type Rows } from "./rows.ts";
import { checkSetup } from "./setup.ts";
import { checkStatistics } from "./statistics.ts";

/**
 * Compares every number that a person sees with what the rows say. Nothing may happen in the account meanwhile. What is counted ahead shows a change after
 * about a minute: findings that go within `patienceMs` are none.
 */
export async function checkNumbers(account: Checked, { patienceMs = 0, of = everyArea } = {}): Promise<Finding[]> {
  const deadline = performance.now() + patienceMs;
  for (; ; await sleep(1_000)) {
    const findings = await compare(account, await readRows(account.sql, account.accountId), of);
    if (findings.length === 0 || performance.now() > deadline) return findings;
    const wrong = new Set(findings.map(({ area }) => area));
    of = of.filter((area) => wrong.has(area));
  }
}

export const areas = {
  setup: checkSetup,
  messages: checkMessages,
  statistics: checkStatistics,
  events: checkEvents,
  problems: checkProblems,
  operations: checkOperations,
};
export type Area = keyof typeof areas;
const everyArea = Object.keys(areas) as Area[];

/** The findings by rows that were read before. */
export async function compare(account: Checked, rows: Rows, of = everyArea): Promise<(Finding & { area: Area })[]> {
  const all: (Finding & { area: Area })[] = [];
  for (const area of of) {
    const findings: Finding[] = [];
    await areas[area](openLook(account, rows, findings)).catch((error: unknown) =>
      findings.push({ where: area, said: String(error), counted: null, note: "a call was refused" }),
    );
    all.push(...findings.map((finding) => ({ ...finding, area })));
  }
  return all;
}
