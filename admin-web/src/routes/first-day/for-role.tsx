import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Role } from "shared/core/role";
import { useMay } from "../../session/me.ts";

/** What takes a role, or for whoever lacks it the word who does it. */
export function ForRole({ needed = "operator", children }: { needed?: Role; children: ReactNode }) {
  if (useMay(needed)) return children;
  return (
    <Text size="sm" c="dimmed">
      {needed === "owner" ? "An owner of the account does this." : "An operator or an owner of the account does this."}
    </Text>
  );
}
