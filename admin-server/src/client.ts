import { createTRPCClient, httpLink, type TRPCClient } from "@trpc/client";
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
  return createTRPCClient<AppRouter>({ links: [httpLink({ url: `${url.replace(/\/+$/, "")}/trpc`, headers, methodOverride: "POST" })] });
}
