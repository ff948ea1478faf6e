import type { IncomingHttpHeaders } from "node:http";
import { listMember, member } from "../http/json-member.ts";

/** How much of the calls that it grants for an hour the platform counts as used up (platform facts: limits). */
export interface Usage {
  /** 100 is all of them. */
  percent: number;
  /** Until calls are granted again, in milliseconds; 0 while they are. */
  regainMs: number;
}

/** What an answer's headers say, by business account. Of several counts the worst. */
export function readUsage(headers: IncomingHttpHeaders): Map<string, Usage> {
  const byAccount = parseObject(headers["x-business-use-case-usage"]);
  return new Map(
    Object.keys(byAccount).map((wabaId) => {
      const counts = listMember(byAccount, wabaId);
      const percent = Math.max(0, ...counts.map(percentOf));
      const minutes = Math.max(0, ...counts.map((count) => numberOf(member(count, "estimated_time_to_regain_access"))));
      return [wabaId, { percent, regainMs: minutes * 60_000 }];
    }),
  );
}

const slowFrom = 80;
const stopFrom = 95;

/** How long to wait before the next call that nobody waits for, in milliseconds; Infinity to leave it for another hour. */
export function pauseFor(usage: Usage | null): number {
  if (usage === null || (usage.percent < slowFrom && usage.regainMs === 0)) return 0;
  return usage.percent >= stopFrom || usage.regainMs > 0 ? Infinity : (usage.percent - slowFrom + 1) * 200;
}

const percentOf = (count: unknown): number =>
  Math.max(...["call_count", "total_cputime", "total_time"].map((name) => numberOf(member(count, name))));

const numberOf = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);

function parseObject(header: string | string[] | undefined): object {
  try {
    const value: unknown = JSON.parse(String(header ?? "{}"));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
