import { NativeSelect, type NativeSelectProps } from "@mantine/core";
import { isAtLeast, type Role, roles } from "shared/core/role";
import { sentenceCase } from "shared/core/text";
import { t, translated } from "../language.ts";
import rights from "./role-labels.json";

/** The role's name, and what it may do. */
export const describeRole = (role: Role): string => `${sentenceCase(translated(role))}: ${translated(rights[role])}`;

/** A choice of the roles up to `atMost`. */
export function RoleSelect({ atMost = "owner", ...props }: NativeSelectProps & { atMost?: Role }) {
  const data = roles.filter((role) => isAtLeast(atMost, role)).map((role) => ({ value: role, label: describeRole(role) }));
  return <NativeSelect label={t("Role")} data={data} {...props} />;
}
