import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { createContext, type ReactNode, use } from "react";
import { isAtLeast } from "shared/core/role";
import { paths } from "./paths.ts";
import { trpc, type Outputs } from "./trpc.ts";
import { RoleContext } from "./ui/base/role.ts";

/** The signed-in person and the account. */
export type Me = Outputs["auth"]["me"];

export const isSamePerson = (one: Me, other: Me): boolean => one.user.id === other.user.id && one.account.id === other.account.id;

/** Whether `present` may go on with what `author` began: it is the same person in the same account, with no lower role. */
export const mayGoOn = (present: Me, author: Me) => isSamePerson(present, author) && isAtLeast(present.user.role, author.user.role);

const MeContext = createContext<Me | null>(null);

/** Tells pages who is signed in, and their parts the role. */
export const SignedIn = ({ me, children }: { me: Me; children: ReactNode }) => (
  <MeContext value={me}>
    <RoleContext value={me.user.role}>{children}</RoleContext>
  </MeContext>
);

export function useMe(): Me {
  const me = use(MeContext);
  if (me === null) throw new Error("useMe is for pages inside the frame of the dashboard");
  return me;
}

interface Session {
  /** Undefined while loading, or if nobody is signed in. */
  me: Me | undefined;
  isNobody: boolean;
  error: { message: string } | null;
  retry: () => void;
}

const freshMs = 60_000;

/** The signed-in person. Asks for the person only if there is a session, as browsers log every refusal. */
export function useSession(): Session {
  const state = trpc.auth.state.useQuery(undefined, { staleTime: freshMs });
  // Somebody else may have signed in in another window.
  const look = { staleTime: freshMs, refetchOnWindowFocus: "always" } as const;
  const me = trpc.auth.me.useQuery(undefined, { ...look, enabled: state.data?.signedIn === true });
  // The session may end between the two answers.
  const isNobody = state.data?.signedIn === false || me.error?.data?.code === "UNAUTHORIZED";
  return {
    me: isNobody ? undefined : me.data,
    isNobody,
    error: me.error ?? state.error,
    retry: () => void (state.data === undefined ? state.refetch() : me.refetch()),
  };
}

/** Clears the cache after a sign-in and opens `next`, a dashboard path. */
export function useEnter(): (next?: string) => Promise<void> {
  const cache = useQueryClient();
  const router = useRouter();
  return async (next = paths.home) => {
    cache.clear();
    await router.navigate({ href: next, replace: true });
  };
}

export interface SignInSearch {
  /** The page after the sign-in: path, search and hash. */
  next?: string | undefined;
}

/** Only dashboard paths, so that the link cannot redirect elsewhere. Always returns the key: the router keeps keys that are left out. */
export function readSignInSearch({ next }: Record<string, unknown>): SignInSearch {
  return { next: typeof next === "string" && isOwnPath(next) ? next : undefined };
}

/** Whether a path is on this host: `//host` and, to browsers, `/\host` name another. */
const isOwnPath = (path: string): boolean => /^\/(?![/\\])/u.test(path);
