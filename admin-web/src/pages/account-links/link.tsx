import { Anchor, Text } from "@mantine/core";
import { Link, useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { CardPage, rich } from "../../ui/base/page.tsx";

/** The token of an invite or reset link. It is in the hash, so that no server logs it; empty if it was cut off. */
export const useLinkToken = (): string => useLocation({ select: ({ hash }) => hash }).trim();

/** Shown instead of a form whose link is invalid. */
export const DeadLink = ({ title, children }: { title: string; children: ReactNode }) => (
  <CardPage title={title}>
    <Text size="md" role="alert">
      {children}
    </Text>
    <SignInInstead />
  </CardPage>
);

export const SignInInstead = () => <Text>{rich(t("Have an account? <0>Sign in</0>"), <Anchor component={Link} to={paths.signIn} />)}</Text>;
