import type { Setup } from "shared/core/input/setup";
import { attempt } from "shared/core/text";
import { isUuid } from "shared/core/uuid";

/** An answer that was no success, or none. */
export class Failed extends Error {
  override readonly name = "Failed";
  readonly code: string;
  readonly issues: Issue[];
  constructor(message: string, code = "FAILED", issues: Issue[] = []) {
    super(message);
    this.code = code;
    this.issues = issues;
  }
}

export interface Issue {
  path: (string | number)[];
  message: string;
}

/** An admin server and the token by which it is called. */
export type Login = Record<"url" | "token", string>;

/** Posts a body, and answers within `ms`. @throws Failed when nobody answers */
export type Post = (
  address: string,
  headers: Record<string, string>,
  body: string,
  ms: number,
) => Promise<{ status: number; text: string }>;

/** Calls a procedure of a server. */
export type Ask = <Answer>(path: string, input: object) => Promise<Answer>;

/** All items of a list, by whatever calls its procedure. */
export async function allItems<Item>(ask: (path: string, input: object) => Promise<unknown>, path: string, filter: object = {}) {
  const items: Item[] = [];
  for (let cursor: string | null = null; ;) {
    const page = (await ask(path, { ...filter, cursor, limit: 200 })) as { items: Item[]; nextCursor: string | null };
    items.push(...page.items);
    if (page.nextCursor === null) return items;
    cursor = page.nextCursor;
  }
}

/** Calls a procedure of a server's REST API. @throws Failed */
export async function askBy<Answer>(post: Post, { url, token }: Login, path: string, input: object, ms: number): Promise<Answer> {
  const address = `${url.replace(/(?<!\/)\/+$/, "")}/api/v1/${path.replaceAll(".", "/")}`;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await post(address, headers, JSON.stringify(input), ms);
  const body = read<Answer & { error?: { code: string; message: string; issues?: Issue[] } }>(answer.text);
  if (typeof body !== "object" || body === null)
    throw new Failed(`${url} is no admin server of Tidings: it answered ${answer.status} without JSON`);
  if (answer.status === 200) return body;
  const { error } = body;
  throw new Failed(error?.message ?? `${url} answered ${answer.status}`, error?.code, error?.issues);
}

export const read = <T>(text: string): T | null => attempt(() => JSON.parse(text) as T, null);

/** One site's recipients and bindings, and the drafts that these use, as the set-up of another site, here or elsewhere; it keeps all else. @throws Failed */
export async function promotionOf(here: Ask, from: string, there: Ask, to: string): Promise<{ setup: Setup; from: string; to: string }> {
  const [source, target] = [await siteAt(here, from), await siteAt(there, to)];
  const { setup } = await here<{ setup: Setup }>("setup.export", { siteId: source.id });
  const [site] = setup.sites ?? [];
  const sites = [{ name: target.name, recipients: site?.recipients, bindings: site?.bindings }];
  return { setup: { version: 1, part: true, templates: setup.templates, sites }, from: source.id, to: target.id };
}

type Named = Record<"id" | "name", string>;

/** The site of a name or an id. @throws Failed */
export async function siteAt(ask: Ask, site: string): Promise<Named> {
  // Whatever answers at the address of another installation may be none.
  if (isUuid(site.toLowerCase())) {
    const { site: found } = await ask<{ site?: Partial<Named> }>("sites.get", { id: site.toLowerCase() });
    if (typeof found?.id !== "string" || typeof found.name !== "string") throw new Failed("Its answer names no site");
    return { id: found.id, name: found.name };
  }
  const { items } = await ask<{ items?: Named[] }>("sites.list", { search: site, limit: 200 });
  if (!Array.isArray(items)) throw new Failed("Its answer has no sites");
  const [first, second] = items.filter((one) => one?.name === site);
  if (first === undefined) throw new Failed(`There is no site named ${site}`, "NOT_FOUND");
  if (second !== undefined) throw new Failed(`Several sites are named ${site}: give the id`, "CONFLICT");
  return first;
}
