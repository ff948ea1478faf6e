import { createHash } from "node:crypto";
import { TRPCError } from "@trpc/server";
import { isUuid } from "shared/core/uuid";

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
