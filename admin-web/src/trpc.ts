import { QueryCache, QueryClient } from "@tanstack/react-query";
import { httpBatchLink, httpSubscriptionLink, splitLink, TRPCClientError } from "@trpc/client";
import { createTRPCReact, type CreateTRPCReact } from "@trpc/react-query";
import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "admin-server/router";

const url = "/trpc";
/** What is followed has a connection of its own; a preview carries a payload, which is too long for an address; the rest travels together. */
const link = splitLink({
  condition: ({ type }) => type === "subscription",
  true: httpSubscriptionLink({ url }),
  false: splitLink({
    condition: ({ path }) => path === "bindings.preview",
    true: httpBatchLink({ url, methodOverride: "POST" }),
    false: httpBatchLink({ url }),
  }),
});

/** One client of the server and one cache of its answers, for as long as the page lives. */
export function createClients() {
  const queryClient: QueryClient = new QueryClient({
    defaultOptions: { queries: { retry: mayPass, staleTime: 1000 } },
    // A session that ended somewhere else: ask whether anybody is signed in, and the layout leads to the sign-in page.
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (codeOf(error) === "UNAUTHORIZED" && !isOf("auth.me", query.queryKey))
          void queryClient.invalidateQueries({ predicate: (each) => isOf("auth.state", each.queryKey) });
      },
    }),
  });
  return { queryClient, trpcClient: trpc.createClient({ links: [link] }) };
}

/** Once more for what may pass by itself; a refusal is an answer. */
function mayPass(failures: number, error: Error): boolean {
  const code = codeOf(error);
  return failures < 1 && (code === undefined || code === "INTERNAL_SERVER_ERROR");
}

function codeOf(error: Error): string | undefined {
  return error instanceof TRPCClientError ? (error.data as { code?: string } | null | undefined)?.code : undefined;
}

function isOf(procedure: string, key: readonly unknown[]): boolean {
  return Array.isArray(key[0]) && key[0].join(".") === procedure;
}

// Annotated: the inferred type cannot be named in a declaration.
export const trpc: CreateTRPCReact<AppRouter, unknown> = createTRPCReact<AppRouter>();

/** What each procedure answers. */
export type Outputs = inferRouterOutputs<AppRouter>;
