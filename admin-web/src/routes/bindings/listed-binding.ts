import type { Outputs } from "../../trpc.ts";

export type ListedBinding = Outputs["bindings"]["list"]["items"][number];
