import type { Outputs } from "../../trpc.ts";
import { isMoving, movingPollMs, type Rows } from "../../ui/list/live-list.tsx";

export type LogRow = Outputs["notifications"]["list"]["items"][number];

/** Statuses are polled, more often while messages may still change. */
const quietPollMs = 10_000;

/** Milliseconds, or false for no polling. Resends are followed in any case. */
export function lookAgainIn(rows: readonly LogRow[], isLive: boolean): number | false {
  if (isLive) return rows.some(isMoving) ? movingPollMs : quietPollMs;
  return rows.some((row) => row.resendOf !== null && isMoving(row)) && movingPollMs;
}

type Sent = { id: string; resendOf: string | null };

/** Whether the newest rows hold a resend that is not shown yet. */
export function bringsResend(shown: Rows<Sent> | undefined, newest: Rows<Sent> | undefined): boolean {
  const known = new Set(shown?.items.map(({ id }) => id));
  return newest?.items.some(({ id, resendOf }) => resendOf !== null && !known.has(id)) ?? false;
}

/** The shown rows, each message once: one whose resend is shown too is left out; while the resend is only among the newest, the row says so. */
export function withoutResent<Row extends Sent & { resentAs: string | null }>(shown: readonly Row[], newest: readonly Row[]): Row[] {
  const resends = new Map([...newest, ...shown].map(({ id, resendOf }) => [resendOf, id]));
  const ids = new Set(shown.map(({ id }) => id));
  return shown.flatMap((row) => {
    const resentAs = resends.get(row.id);
    if (resentAs === undefined) return row;
    return ids.has(resentAs) ? [] : { ...row, resentAs };
  });
}
