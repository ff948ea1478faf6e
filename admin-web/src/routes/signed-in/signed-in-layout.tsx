import { Outlet } from "@tanstack/react-router";
import { useSession } from "../../session/use-session.ts";
import { CardPage } from "../../ui/page/card-page.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { Loading } from "../../ui/states/loading.tsx";
import { Shell } from "./shell.tsx";
import { SignInFirst } from "./sign-in-first.tsx";

/** Around every page that takes somebody signed in. Whoever is not signs in first and then goes on to the page. */
export function SignedInLayout() {
  const { me, isNobody, error, retry } = useSession();
  if (isNobody) return <SignInFirst />;
  if (me === undefined) {
    if (error === null) return <Loading what="the dashboard" />;
    return (
      <CardPage title="Not connected">
        <FailureNotice title="The server does not answer" error={error} onRetry={retry} />
      </CardPage>
    );
  }
  return (
    <Shell me={me}>
      <Outlet />
    </Shell>
  );
}
