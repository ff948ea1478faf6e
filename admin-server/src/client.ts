import { createTRPCClient, httpLink, httpSubscriptionLink, splitLink, type TRPCClient, TRPCClientError } from "@trpc/client";
import type { inferRouterOutputs } from "@trpc/server";
import { EventSource } from "eventsource";
import type { AppRouter } from "./router.ts";

export type { AppRouter } from "./router.ts";

/** What each procedure answers, as it arrives. */
export type AdminAnswers = inferRouterOutputs<AppRouter>;

export interface AdminClientOptions {
  /** The URL of the admin server, such as `http://127.0.0.1:4001`. */
  url: string;
  /** A session token of `auth.login`, or an access token. Only some procedures of `auth` and `users` work without one. */
  token?: string | undefined;
}

/** A typed client for programs: `client.sites.list.query({})`. It sends queries as POST too, since a preview's payload may be too long for a URL. */
export function createAdminClient({ url, token }: AdminClientOptions): TRPCClient<AppRouter> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const endpoint = `${url.replace(/(?<!\/)\/+$/, "")}/trpc`;
  // The standard EventSource sends no headers.
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

/** Every item of a list: `everyItem((page) => client.sites.list.query(page))`. Each page is fetched when the one before is used up. */
export async function* everyItem<Item>(list: (page: { cursor: string | null }) => Promise<{ items: Item[]; nextCursor: string | null }>) {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof list>> = await list({ cursor });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/** The server's error code, such as `NOT_FOUND`; null when the call failed for another reason, such as no answer. */
export function refusalCode(error: unknown): string | null {
  if (!(error instanceof TRPCClientError)) return null;
  return (error as TRPCClientError<AppRouter>).data?.code ?? null;
}
