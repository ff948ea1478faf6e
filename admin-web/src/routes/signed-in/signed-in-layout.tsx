import { Container } from "@mantine/core";
import { Navigate, Outlet } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { CardPage } from "../../ui/card-page.tsx";
import { FailureNotice } from "../../ui/failure-notice.tsx";
import { Loading } from "../../ui/loading.tsx";
import { PageHeader } from "./page-header.tsx";

/** Around every page that takes somebody signed in. */
export function SignedInLayout() {
  const me = trpc.auth.me.useQuery(undefined, { staleTime: 60_000 });
  if (me.error?.data?.code === "UNAUTHORIZED") return <Navigate to={paths.signIn} replace />;
  if (me.data === undefined) {
    if (me.error === null) return <Loading what="the dashboard" />;
    return (
      <CardPage title="Not connected">
        <FailureNotice title="The server does not answer" error={me.error} onRetry={() => void me.refetch()} />
      </CardPage>
    );
  }
  return (
    <>
      <PageHeader account={me.data.account.name} email={me.data.user.email} />
      <Container component="main" size="lg" py="lg" px="md">
        <Outlet />
      </Container>
    </>
  );
}
