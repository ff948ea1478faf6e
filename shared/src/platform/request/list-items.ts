import type { PlatformClient } from "../client.ts";
import type { PlatformCredentials } from "../credentials.ts";
import { listMember, member, textMember } from "../http/json-member.ts";
import { PlatformError } from "../platform-error.ts";
import { requestFields, type FieldsToRead } from "./request-fields.ts";

/** The platform's default is 25, and it gives no more than it likes. */
const pageSize = 100;

/**
 * Every item of a list of the platform, page by page.
 * @throws PlatformError
 */
export async function* listItems(
  client: PlatformClient,
  credentials: PlatformCredentials,
  path: readonly string[],
  read: FieldsToRead,
): AsyncGenerator<unknown> {
  const followed = new Set<string>();
  for (let after: string | undefined; ;) {
    const query = { ...read.query, limit: String(pageSize), ...(after !== undefined && { after }) };
    const page = await requestFields(client, credentials, path, { ...read, query });
    // Whoever compares with what is stored would take it for an empty list.
    if (!Array.isArray(member(page, "data"))) {
      throw new PlatformError("The platform's address answered with something else than a list. Check the address.");
    }
    yield* listMember(page, "data");
    after = nextCursor(page);
    // A cursor that comes back would go round for ever.
    if (after === undefined || followed.has(after)) return;
    followed.add(after);
  }
}

/** The last page still has a cursor, but no `next`; a full page is followed in any case. */
function nextCursor(page: object): string | undefined {
  const paging = member(page, "paging");
  const more = textMember(paging, "next") !== undefined || listMember(page, "data").length >= pageSize;
  return more ? textMember(member(paging, "cursors"), "after") : undefined;
}
