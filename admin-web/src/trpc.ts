import { QueryCache, QueryClient } from "@tanstack/react-query";
import { httpBatchLink, httpSubscriptionLink, splitLink, TRPCClientError } from "@trpc/client";
import { createTRPCReact, type CreateTRPCReact } from "@trpc/react-query";
import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "admin-server/router";

const url = "/trpc";
/** Subscriptions have their own connection; a preview carries a payload, which is too long for an address; the rest is batched. */
const link = splitLink({
  condition: ({ type }) => type === "subscription",
  true: httpSubscriptionLink({ url }),
  false: splitLink({
    condition: ({ path }) => path === "bindings.preview",
    true: httpBatchLink({ url, methodOverride: "POST" }),
    false: httpBatchLink({ url }),
  }),
});

export function createClients() {
  const queryClient: QueryClient = new QueryClient({
    defaultOptions: { queries: { retry: isWorthRetry, staleTime: 1000 } },
    // The session ended elsewhere: refetch the state, so that the layout leads to the sign-in page.
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (codeOf(error) === "UNAUTHORIZED" && !isOf("auth.me", query.queryKey))
          void queryClient.invalidateQueries({ predicate: (each) => isOf("auth.state", each.queryKey) });
      },
    }),
  });
  return { queryClient, trpcClient: trpc.createClient({ links: [link] }) };
}

/** One retry for errors that may be temporary. */
function isWorthRetry(failures: number, error: Error): boolean {
  const code = codeOf(error);
  return failures < 1 && (code === undefined || code === "INTERNAL_SERVER_ERROR");
}

function codeOf(error: Error): string | undefined {
  return error instanceof TRPCClientError ? (error.data as { code?: string } | null | undefined)?.code : undefined;
}

function isOf(procedure: string, key: readonly unknown[]): boolean {
  return Array.isArray(key[0]) && key[0].join(".") === procedure;
}

// The inferred type cannot be named in a declaration.
export const trpc: CreateTRPCReact<AppRouter, unknown> = createTRPCReact<AppRouter>();

/** What each procedure answers. */
export type Outputs = inferRouterOutputs<AppRouter>;
