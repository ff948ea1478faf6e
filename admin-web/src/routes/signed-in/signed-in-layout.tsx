import { Outlet } from "@tanstack/react-router";
import { trpc } from "../../trpc.ts";
import { CardPage } from "../../ui/page/card-page.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { Loading } from "../../ui/states/loading.tsx";
import { Shell } from "./shell.tsx";
import { SignInFirst } from "./sign-in-first.tsx";

/** Around every page that takes somebody signed in. Whoever is not signs in first and then goes on to the page. */
export function SignedInLayout() {
  const me = trpc.auth.me.useQuery(undefined, { staleTime: 60_000 });
  if (me.error?.data?.code === "UNAUTHORIZED") return <SignInFirst />;
  if (me.data === undefined) {
    if (me.error === null) return <Loading what="the dashboard" />;
    return (
      <CardPage title="Not connected">
        <FailureNotice title="The server does not answer" error={me.error} onRetry={() => void me.refetch()} />
      </CardPage>
    );
  }
  return (
    <Shell me={me.data}>
      <Outlet />
    </Shell>
  );
}
