import { createHash } from "node:crypto";
import { TRPCError } from "@trpc/server";
import type { notificationFilterInput } from "shared/core/input/log";
import { readLogSearch } from "shared/core/message";
import type { Role } from "shared/core/role";
import { isUuid, uuidFloor } from "shared/core/uuid";
import type { NotificationFilter } from "shared/db/notification/log";
import type { LogPage } from "shared/db/paging";
import type { z } from "zod";
import { requirePhoneSearch } from "./roles.ts";

export interface Page<Item> {
  items: Item[];
  /** Null at the end. */
  nextCursor: string | null;
}

/**
 * The key that the page starts after, null for the first page. `list` names the list: a cursor of another one, or one that was made up or
 * mistyped, is refused, and so is one around what is no key of a list: most go by an id.
 */
export function readCursor(list: string, cursor: string | null | undefined, isKey: (key: string) => boolean = isUuid): string | null {
  if (cursor === undefined || cursor === null) return null;
  const decoded = Buffer.from(cursor, "base64url").toString("utf8");
  const key = decoded.slice(checkLength);
  if (writeCursor(list, key) !== cursor || !isKey(key)) {
    throw new TRPCError({
      code: "BAD_REQUEST",
      message: "cursor: not one of this list; take nextCursor of the page before, or leave it out for the first page",
    });
  }
  return key;
}

/** A page from `limit + 1` rows in order: the row beyond the limit only tells that there is a next page. `key`: what `readCursor` gives back. */
export function toPage<Row, Item>(
  list: string,
  rows: readonly Row[],
  limit: number,
  key: (row: Row) => string,
  present: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? writeCursor(list, key(last)) : null;
  return { items: shown.map(present), nextCursor };
}

const checkLength = 8;

function writeCursor(list: string, key: string): string {
  const check = createHash("sha256").update(`${list}\n${key}`).digest("base64url").slice(0, checkLength);
  return Buffer.from(check + key).toString("base64url");
}

/** The ids that a page of the log may show. Times and cursor bound the same thing, because an id carries its time. */
export function toLogPage(range: { from?: number | undefined; to?: number | undefined }, cursor: string | null, limit: number): LogPage {
  const from = range.from === undefined ? null : floorOf(range.from);
  const afterLast = range.to === undefined ? null : floorOf(range.to + 1);
  const before = cursor === null || (afterLast !== null && afterLast < cursor) ? afterLast : cursor;
  return { from, before, limit };
}

/** What a version 7 UUID has room for. */
const lastMs = 2 ** 48 - 1;

const floorOf = (ms: number): string => uuidFloor(Math.min(Math.max(ms, 0), lastMs));

/** What the log of messages is looked through for. Refuses whoever may not see phones to look one up. */
export function toNotificationFilter(input: z.output<typeof notificationFilterInput>, role: Role): NotificationFilter {
  const { siteId, eventId, status, event, phone, template, waMessageId, errorCode, search } = input;
  const filter = { siteId, eventId, status, event, phone, template, waMessageId, errorCode };
  const searched: Pick<NotificationFilter, "anyId" | "phone" | "waMessageId"> = search === undefined ? {} : readLogSearch(search);
  requirePhoneSearch(role, phone ?? searched.phone);
  return { ...filter, ...searched };
}
