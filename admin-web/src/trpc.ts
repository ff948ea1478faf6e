import { createTRPCReact, type CreateTRPCReact } from "@trpc/react-query";
import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "admin-server/router";

// Annotated: the inferred type cannot be named in a declaration.
export const trpc: CreateTRPCReact<AppRouter, unknown> = createTRPCReact<AppRouter>();

/** What each procedure answers. */
export type Outputs = inferRouterOutputs<AppRouter>;
