import { Anchor, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { paths } from "../paths.ts";
import { CardPage } from "../ui/page/card-page.tsx";

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
