import { trpc } from "../../trpc.ts";

/** The most open problems that are counted. */
export const mostCounted = 99;
const lookEveryMs = 30_000;

/** The open problems of the account, as the frame asks for them on every page: each who calls it shares the answer. */
export const useOpenProblems = () =>
  trpc.problems.list.useQuery({ state: "open", limit: mostCounted + 1 }, { refetchInterval: lookEveryMs }).data;
