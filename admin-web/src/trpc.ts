import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { httpBatchLink, splitLink, TRPCClientError, type TRPCLink } from "@trpc/client";
import { createTRPCQueryUtils, createTRPCReact, type CreateTRPCReact } from "@trpc/react-query";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { observable, type Unsubscribable } from "@trpc/server/observable";
import type { AppRouter } from "admin-server/router";
import { language, t } from "./language.ts";
import type { Refused } from "./refusals.ts";

const url = "/trpc";

/** Loads the reader of live views with the first one. */
const liveLink: TRPCLink<AppRouter> = (runtime) => (operation) =>
  observable((observer) => {
    let running: Unsubscribable | null = null;
    let hasEnded = false;
    void import("@trpc/client?live").then(
      ({ httpSubscriptionLink }) => {
        const live: TRPCLink<AppRouter> = httpSubscriptionLink({ url });
        if (!hasEnded) running = live(runtime)(operation).subscribe(observer);
      },
      (error: Error) => observer.error(TRPCClientError.from(error)),
    );
    return () => {
      hasEnded = true;
      running?.unsubscribe();
    };
  });

/** Is told by how many seconds what a list or a chart shows may be behind. */
export const age = { tell: (_seconds: number): void => undefined };

export function noteHeaders(answer: Response): Response {
  const [seconds, role] = [answer.headers.get("x-service-lag"), answer.headers.get("x-page-role")];
  if (seconds !== null) age.tell(Number(seconds));
  const known = cache.auth.me.getData()?.user.role;
  if (role !== null && known !== undefined && role !== known) askWho();
  return answer;
}

/** Asks who is there, once at a time: somebody else may have signed in, or the role may have changed elsewhere. */
export const askWho = (): void => void cache.auth.me.refetch(undefined, undefined, { cancelRefetch: false });

/** Whom the page is of, which every call names: somebody else may have signed in beside it, and the server then refuses it. Empty outside the frame. */
export const speaker: { headers: () => Record<string, string> } = { headers: () => ({}) };

/** Those who ask who is there ask it whoever it is. */
const headers = ({ opList }: { opList: readonly { path: string }[] }) =>
  opList.some(({ path }) => /^auth\.(?:state|me)$/u.test(path)) ? {} : speaker.headers();

/**
 * Subscriptions have their own connection. Some queries go alone: a preview carries a payload or a conversation, and a count the ids of the chosen rows,
 * which are too long for an address; no row waits for how many there are, or for how each endpoint does, which take the longest. Changes go alone too; the
 * other calls are batched, and answered together.
 */
const link = splitLink({
  condition: ({ type }) => type === "subscription",
  true: liveLink,
  false: splitLink({
    condition: ({ type, path }) => type === "mutation" || /\.(?:preview|(?:\w+C|c)ount|diagnose)$|^webhooks\.list$/u.test(path),
    true: httpBatchLink({ url, methodOverride: "POST", maxItems: 1, headers }),
    false: httpBatchLink({
      url,
      maxItems: 20,
      headers,
      fetch: async (asked, init) => noteHeaders(await fetch(asked, init as RequestInit)),
    }),
  }),
});

type Tell = (isProven: boolean) => void;
let waiting: readonly Tell[] = [];
let listeners: readonly (() => void)[] = [];
function wait(next: readonly Tell[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Whether a dialog has to ask for a proof of the person. Calls that were refused for want of one wait for the answer. */
export const proof = {
  isWanted: (): boolean => waiting.length > 0,
  subscribe: (listener: () => void): (() => void) => {
    listeners = [...listeners, listener];
    return () => (listeners = listeners.filter((each) => each !== listener));
  },
  ask: (tell: Tell): void => wait([...waiting, tell]),
  answer(isProven: boolean): void {
    const asking = waiting;
    wait([]);
    for (const tell of asking) tell(isProven);
  },
};

/** Each form of the page: whether something in it is typed and not saved, and its question before `leave`. */
export const unsaved: Map<() => boolean, (leave: () => void) => void> = new Map();

/** The question of a form with something that is typed and not saved; undefined if there is none. */
export const findUnsaved = (): ((leave: () => void) => void) | undefined => [...unsaved].find(([isUnsaved]) => isUnsaved())?.[1];

/** A refusal in the reader's language; the server writes English. */
export async function inReadersLanguage<Error extends Refused>(refusal: Error): Promise<Error> {
  const isSaid = (refusal.data?.said ?? refusal.data?.issues) != null;
  if (language !== "en" && isSaid)
    await import("./refusals.ts").then(({ translateRefusal }) => translateRefusal(refusal)).catch(() => undefined);
  return refusal;
}

/** Repeats a call that was refused for want of a proof once the person has given it. Nobody sees a refusal before it is translated. */
const proofLink: TRPCLink<AppRouter> =
  () =>
  ({ next, op }) =>
    observable((observer) => {
      const tell = async (refusal: TRPCClientError<AppRouter>): Promise<void> => observer.error(await inReadersLanguage(refusal));
      const attempt = (): Unsubscribable =>
        next(op).subscribe({
          ...observer,
          error: (error) => {
            if (error.data?.reason !== "confirm") return void tell(error);
            const message = t("Not done: try again, and confirm that it is you.");
            proof.ask((isProven) => (isProven ? (running = attempt()) : observer.error(Object.assign(error, { message }))));
          },
        });
      let running = attempt();
      return () => running.unsubscribe();
    });

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: { queries: { retry: isWorthRetry, staleTime: 1000 } },
  queryCache: new QueryCache({ onError: (error, { queryKey }) => noteEnd(error, queryKey) }),
  mutationCache: new MutationCache({ onError: (error) => noteEnd(error) }),
});

/**
 * The session ended elsewhere: refetches the state, so that the layout leads to the sign-in page. What is forbidden may be so since somebody else has signed in,
 * or the role has changed, or a second factor is demanded: refetches who is there, which the layout then tells.
 */
function noteEnd(error: Error, asked: readonly unknown[] = []): void {
  const stale = isOf("auth.me", asked) ? undefined : refetched[codeOf(error) ?? ""];
  if (stale !== undefined) void queryClient.invalidateQueries({ predicate: ({ queryKey }) => isOf(stale, queryKey) });
}

const refetched: Partial<Record<string, string>> = { UNAUTHORIZED: "auth.state", FORBIDDEN: "auth.me" };

/** One retry for errors that may be temporary. */
function isWorthRetry(failures: number, error: Error): boolean {
  const code = codeOf(error);
  return failures < 1 && (code === undefined || code === "INTERNAL_SERVER_ERROR");
}

export const codeOf = (error: Error): string | undefined =>
  error instanceof TRPCClientError ? (error.data as { code?: string } | null | undefined)?.code : undefined;

const isOf = (procedure: string, [path]: readonly unknown[]): boolean => Array.isArray(path) && path.join(".") === procedure;

// The inferred type cannot be named in a declaration.
export const trpc: CreateTRPCReact<AppRouter, unknown> = createTRPCReact<AppRouter>();

export const trpcClient: ReturnType<typeof trpc.createClient> = trpc.createClient({ links: [proofLink, link] });

/** The answers that are kept. */
export const cache: ReturnType<typeof createTRPCQueryUtils<AppRouter>> = createTRPCQueryUtils({ queryClient, client: trpcClient });

/** Awaits what a question sends, then the answers that it has made old; also where it failed, as somebody else may have changed the same. */
export async function settled<Answer>(change: Promise<Answer>, ...old: readonly { invalidate: () => Promise<void> }[]): Promise<Answer> {
  try {
    return await change;
  } finally {
    await Promise.all(old.map((each) => each.invalidate()));
  }
}

/** The input and the answer of each procedure. */
export type Inputs = inferRouterInputs<AppRouter>;
export type Outputs = inferRouterOutputs<AppRouter>;
/** An answer of which a server of an earlier version, which may stand beside this one's for a while, tells no `Newer` members. */
export type OrEarlier<Answer, Newer extends keyof Answer> = Omit<Answer, Newer> & Partial<Pick<Answer, Newer>>;
