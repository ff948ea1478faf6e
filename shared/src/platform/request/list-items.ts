import type { PlatformClient } from "../client.ts";
import type { PlatformCredentials } from "../credentials.ts";
import { listMember, member, textMember } from "../http/json-member.ts";
import { PlatformError } from "../platform-error.ts";
import { requestFields, type FieldsToRead } from "./request-fields.ts";

/** The platform's default is 25, and it gives no more than it likes. */
const pageSize = 100;

/** No list that the platform grants is as long: a business account has 6,000 templates at most. What goes on for longer does not end. */
const maxItems = 10_000;
const maxPages = 1_000;

/**
 * Every item of a list of the platform, page by page.
 * @throws PlatformError also when the list has no end: a cursor comes back, or there are more than 10,000 items or 1,000 pages.
 */
export async function* listItems(
  client: PlatformClient,
  credentials: PlatformCredentials,
  path: readonly string[],
  read: FieldsToRead,
): AsyncGenerator<unknown> {
  const followed = new Set<string>();
  let items = 0;
  for (let after: string | undefined; ;) {
    const query = { ...read.query, limit: String(pageSize), ...(after !== undefined && { after }) };
    const page = await requestFields(client, credentials, path, { ...read, query });
    // Whoever compares with what is stored would take it for an empty list.
    if (!Array.isArray(member(page, "data"))) {
      throw new PlatformError("The platform's address answered with something else than a list. Check the address.");
    }
    const found = listMember(page, "data");
    yield* found;
    items += found.length;
    after = nextCursor(page);
    if (after === undefined) return;
    const pages = followed.size + 1;
    if (followed.has(after)) throw endless(items, pages, `and the cursor ${quote(after)} came a second time`);
    if (items >= maxItems || pages >= maxPages) throw endless(items, pages, "and there were more to come");
    followed.add(after);
  }
}

const endless = (items: number, pages: number, why: string): PlatformError =>
  new PlatformError(
    `The platform's list does not end: ${items} entries came on ${pages} pages, ${why}. Nothing was taken from it. Try again later.`,
  );

const quote = (cursor: string): string => JSON.stringify(cursor.length > 60 ? `${cursor.slice(0, 60)}…` : cursor);

/** The last page still has a cursor, but no `next`; a full page is followed in any case. */
function nextCursor(page: object): string | undefined {
  const paging = member(page, "paging");
  const more = textMember(paging, "next") !== undefined || listMember(page, "data").length >= pageSize;
  return more ? textMember(member(paging, "cursors"), "after") : undefined;
}
