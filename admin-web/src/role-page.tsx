import { Text } from "@mantine/core";
import { type ComponentProps, type ReactNode, use } from "react";
import { isAtLeast, type Role } from "shared/core/role";
import { t, translated } from "./language.ts";
import { Page } from "./ui/base/page.tsx";
import { RoleContext } from "./ui/base/role.ts";

/** A page for those who have a role. */
export const RolePage = ({ needed, ...page }: { needed: Role } & ComponentProps<typeof Page>) => (
  <RoleOnly needed={needed}>
    <Page {...page} />
  </RoleOnly>
);

/** A notice instead of the page for people without the role. */
export function RoleOnly({ needed, children }: { needed: Role; children: ReactNode }) {
  const role = use(RoleContext);
  if (isAtLeast(role, needed)) return children;
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
