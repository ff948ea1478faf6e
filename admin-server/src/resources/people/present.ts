import type { ErasureRow } from "shared/db/erasure/request";

/** A request to forget somebody; once finished, the certificate that it was done. */
export const presentErasure = (row: ErasureRow) => ({
  id: row.id,
  /** All that is left of the phone. */
  phone: row.hint,
  requestedBy: row.requested_by,
  requestedAt: row.requested_at.toISOString(),
  /** Null while it is under way. */
  finishedAt: row.finished_at?.toISOString() ?? null,
  /** From 0 to 1. What was in use is looked at once more at the end. */
  progress: progressOf(row),
  /** Rows looked at. */
  scanned: Number(row.scanned),
  /** Rows changed or removed, by table. */
  counts: row.counts,
});

function progressOf({ finished_at, pass, step, steps }: ErasureRow): number {
  if (finished_at !== null) return 1;
  const done = pass === 0 ? step / Math.max(1, steps.length) : 1;
  return Math.floor(done * 99) / 100;
}
