import type { ResendJobRow } from "shared/db/notification/resend";

export const presentResendJob = ({ id, total, resent, refused, force, created_by, created_at, finished_at }: ResendJobRow) => ({
  id,
  // More may have failed since it began.
  total: Math.max(total, resent + refused),
  resent,
  refused,
  force,
  createdBy: created_by,
  createdAt: created_at.toISOString(),
  /** Null while it is under way. */
  finishedAt: finished_at && finished_at.toISOString(),
});
