import { Anchor, Text } from "@mantine/core";
import { Link, Navigate, useSearch } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { CardPage } from "../../ui/page/card-page.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { SignInForm } from "./sign-in-form.tsx";

export function SignInPage() {
  const state = trpc.auth.state.useQuery();
  const { next } = useSearch({ from: paths.signIn });
  if (state.data?.signUp === "first") return <Navigate to={paths.signUp} replace />;
  return (
    <CardPage title="Sign in">
      {state.error !== null && (
        <FailureNotice title="The server does not answer" error={state.error} onRetry={() => void state.refetch()} />
      )}
      <SignInForm next={next} />
      {state.data?.signUp === "open" && (
        <Text size="sm">
          No account yet?{" "}
          <Anchor component={Link} to={paths.signUp} underline="always">
            Open one
          </Anchor>
        </Text>
      )}
    </CardPage>
  );
}
