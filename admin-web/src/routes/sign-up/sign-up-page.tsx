import { Anchor, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { CardPage } from "../../ui/page/card-page.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { Loading } from "../../ui/states/loading.tsx";
import { SignUpForm } from "./sign-up-form.tsx";

export function SignUpPage() {
  const state = trpc.auth.state.useQuery();
  if (state.error !== null) {
    return (
      <CardPage title="Open an account">
        <FailureNotice title="The server does not answer" error={state.error} onRetry={() => void state.refetch()} />
      </CardPage>
    );
  }
  if (state.data === undefined) return <Loading what="the page" />;
  const { signUp, setupCodeNeeded } = state.data;
  if (signUp === "closed") return <Closed />;
  const isFirst = signUp === "first";
  return (
    <CardPage
      title={isFirst ? "Set up Tidings" : "Open an account"}
      lead={isFirst ? "Nobody has an account here yet. Yours will be the first, and its owner." : "You will be its owner."}
    >
      <SignUpForm setupCodeNeeded={setupCodeNeeded} />
      {!isFirst && <SignInInstead />}
    </CardPage>
  );
}

function Closed() {
  return (
    <CardPage title="Sign-up is closed">
      <Text>Ask the owner of an account to invite you.</Text>
      <SignInInstead />
    </CardPage>
  );
}

function SignInInstead() {
  return (
    <Text size="sm">
      Have an account?{" "}
      <Anchor component={Link} to={paths.signIn} underline="always">
        Sign in
      </Anchor>
    </Text>
  );
}
