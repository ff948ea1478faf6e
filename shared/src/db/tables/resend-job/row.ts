import type { Sql } from "../../connect.ts";
import type { NotificationFilter } from "../notification/source.ts";

/** Failed messages that are being sent again. */
export interface ResendJobRow {
  id: string;
  account_id: string;
  created_by: string;
  filter: ResendFilter;
  force: boolean;
  /** How many there were when it began. */
  total: number;
  resent: number;
  refused: number;
  /** Those still to be looked at have a smaller id. */
  below: string;
  created_at: Date;
  finished_at: Date | null;
}

/** Which messages; `fromId`: the smallest id that belongs to them. */
export type ResendFilter = Pick<NotificationFilter, "siteId" | "eventId" | "event" | "phone" | "template" | "errorCode"> & {
  fromId?: string | undefined;
};

export const resendJobColumns = (sql: Sql) =>
  sql`id, account_id, created_by, filter, force, total, resent, refused, below, created_at, finished_at`;
