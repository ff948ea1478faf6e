import { Anchor, Text, Alert } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useLocation, useRouter } from "@tanstack/react-router";
import { type ReactNode, createContext, use } from "react";
import { type Role, isAtLeast } from "shared/core/role";
import { paths } from "./paths.ts";
import { trpc, type Outputs } from "./trpc.ts";
import { FailureNotice, Loading } from "./ui/page-states.tsx";
import { CardPage, Page } from "./ui/page.tsx";

/** In place of a form whose link leads to nothing: why that may be, and what to do. */
export function DeadLink({ title, children }: { title: string; children: ReactNode }) {
  return (
    <CardPage title={title}>
      <Text role="alert">{children}</Text>
      <Text size="sm">
        Have an account?{" "}
        <Anchor component={Link} to={paths.signIn} underline="always">
          Sign in
        </Anchor>
      </Text>
    </CardPage>
  );
}

/** The token of a link that an owner handed on: it stands after the #, so that no server logs it. Empty when it was cut off. */
export const useLinkToken = (): string => useLocation({ select: ({ hash }) => hash }).trim();

export interface SignInSearch {
  /** Where to go on after the sign-in: path, search and hash. */
  next?: string | undefined;
}

/** Takes paths of the dashboard alone: a link to the sign-in page must not lead anywhere else. Undefined is said, since the router keeps what is not answered. */
export function readSignInSearch({ next }: Record<string, unknown>): SignInSearch {
  return { next: typeof next === "string" && isOwnPath(next) ? next : undefined };
}

/** `//host` and, to browsers, `/\host` name another host. */
const isOwnPath = (path: string): boolean => /^\/(?![/\\])/u.test(path);

/** Warns somebody who is signed in already that what they are about to do signs them in as somebody else. */
export function OtherSession() {
  const { me } = useSession();
  if (me === undefined) return null;
  return (
    <Alert color="yellow" title={`You are signed in as ${me.user.email}`}>
      Going on ends that in this browser. If this link is meant for somebody else, send it to them.
    </Alert>
  );
}

interface Session {
  /** Undefined while it is asked, or where nobody is signed in. */
  me: Me | undefined;
  isNobody: boolean;
  /** Why neither is known. */
  error: { message: string } | null;
  retry: () => void;
}

const freshMs = 60_000;

/** Who is signed in. The person is asked for only where there is one: browsers log every refusal, and a visit without a session is none. */
export function useSession(): Session {
  const state = trpc.auth.state.useQuery(undefined, { staleTime: freshMs });
  const me = trpc.auth.me.useQuery(undefined, { staleTime: freshMs, enabled: state.data?.signedIn === true });
  // The session may end between the two answers.
  const isNobody = state.data?.signedIn === false || me.error?.data?.code === "UNAUTHORIZED";
  return {
    me: isNobody ? undefined : me.data,
    isNobody,
    error: me.error ?? state.error,
    retry: () => void (state.data === undefined ? state.refetch() : me.refetch()),
  };
}

/** What takes a role, or for whoever lacks it the reason why it is not there. */
export function RoleOnly({ needed, children }: { needed: Role; children: ReactNode }) {
  const { role } = useMe().user;
  if (useMay(needed)) return children;
  return (
    <Page title="Not for your role">
      <Text>
        This page takes the role {needed}; yours is {role}. An owner of the account can change that.
      </Text>
    </Page>
  );
}

/** Who is signed in, and to which account. */
export type Me = Outputs["auth"]["me"];

export const MeContext = createContext<Me | null>(null);

export function useMe(): Me {
  const me = use(MeContext);
  if (me === null) throw new Error("Only pages of the signed-in part know who is signed in");
  return me;
}

/** Whether the person may do what takes the role `needed`. */
export const useMay = (needed: Role): boolean => isAtLeast(useMe().user.role, needed);

/** What follows a sign-in: on to `next`, a path of ours, without anything of whoever was signed in before. */
export function useEnter(): (next?: string) => Promise<void> {
  const cache = useQueryClient();
  const router = useRouter();
  return async (next = paths.home) => {
    cache.clear();
    await router.navigate({ href: next, replace: true });
  };
}

export type Settings = Outputs["settings"]["get"];

/** What takes the account's settings, once they are there. */
export function WithSettings({ children }: { children: (settings: Settings) => ReactNode }) {
  const settings = trpc.settings.get.useQuery();
  if (settings.data !== undefined) return children(settings.data);
  if (settings.error === null) return <Loading what="the settings" />;
  return <FailureNotice title="Could not load the settings" error={settings.error} onRetry={() => void settings.refetch()} />;
}
