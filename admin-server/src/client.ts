import { createTRPCClient, httpLink, httpSubscriptionLink, splitLink, type TRPCClient, TRPCClientError } from "@trpc/client";
import { EventSource } from "eventsource";
import type { AppRouter } from "./router.ts";

export type { AppRouter } from "./router.ts";

export interface AdminClientOptions {
  /** Of the admin server, such as `http://127.0.0.1:4001`. */
  url: string;
  /** A session token of `auth.login`, or an access token. Without one only `auth.*` can be called. */
  token?: string | undefined;
}

/** A typed client for programs: `client.sites.list.query({})`. Sends queries as POST too, since a preview's payload may be too long for an address. */
export function createAdminClient({ url, token }: AdminClientOptions): TRPCClient<AppRouter> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const endpoint = `${url.replace(/\/+$/, "")}/trpc`;
  // A browser's own sends no headers.
  const eventSourceOptions = {
    fetch: (input: string | URL, init: RequestInit) =>
      fetch(input, { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } }),
  };
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === "subscription",
        true: httpSubscriptionLink({ url: endpoint, EventSource, eventSourceOptions }),
        false: httpLink({ url: endpoint, headers, methodOverride: "POST" }),
      }),
    ],
  });
}

/** Every item of a list, page after page: `everyItem((page) => client.sites.list.query(page))`. The next page is asked for when the one before is used up. */
export async function* everyItem<Item>(
  list: (page: { cursor: string | null }) => Promise<{ items: Item[]; nextCursor: string | null }>,
): AsyncGenerator<Item> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof list>> = await list({ cursor });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/** Why the server refused, such as `NOT_FOUND`; null when the call failed otherwise, as when there is no answer. */
export function refusalCode(error: unknown): string | null {
  if (!(error instanceof TRPCClientError)) return null;
  return (error as TRPCClientError<AppRouter>).data?.code ?? null;
}
