import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Role } from "shared/core/role";
import { Page } from "../ui/page/page.tsx";
import { useMay, useMe } from "./me.ts";

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
