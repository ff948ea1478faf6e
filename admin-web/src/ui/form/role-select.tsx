import { NativeSelect, type NativeSelectProps } from "@mantine/core";
import { isAtLeast, type Role, roles } from "shared/core/role";
import { roleWords } from "../role-words.ts";

/** One of the roles up to `atMost`. */
export function RoleSelect({ atMost = "owner", ...props }: NativeSelectProps & { atMost?: Role }) {
  const data = roles.filter((role) => isAtLeast(atMost, role)).map((role) => ({ value: role, label: `${role}: ${roleWords[role]}` }));
  return <NativeSelect label="Role" data={data} {...props} />;
}
