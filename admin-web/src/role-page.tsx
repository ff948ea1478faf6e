import { Text } from "@mantine/core";
import type { ComponentProps, ReactNode } from "react";
import type { Role } from "shared/core/role";
import { t, translated } from "./language.ts";
import { useMay, useMe } from "./session.tsx";
import { Page } from "./ui/base/page.tsx";

/** A page for those who have a role. */
export const RolePage = ({ needed, ...page }: { needed: Role } & ComponentProps<typeof Page>) => (
  <RoleOnly needed={needed}>
    <Page {...page} />
  </RoleOnly>
);

/** A notice instead of the page for people without the role. */
export function RoleOnly({ needed, children }: { needed: Role; children: ReactNode }) {
  const { role } = useMe().user;
  if (useMay(needed)) return children;
  return (
    <Page title={t("No access")}>
      <Text size="md">
        {t("This page needs the role {needed}; yours is {role}. An owner can change your role.", {
          needed: translated(needed),
          role: translated(role),
        })}
      </Text>
    </Page>
  );
}
