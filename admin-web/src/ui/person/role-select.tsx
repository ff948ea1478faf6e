import { NativeSelect, type NativeSelectProps } from "@mantine/core";
import { isAtLeast, type Role, roles } from "shared/core/role";
import { sentenceCase } from "shared/core/text";
import { t, translated } from "../../language.ts";
import rights from "./role-labels.json";

/** The role's name, and what it may do. */
export const describeRole = (role: Role): string => `${sentenceCase(translated(role))}: ${translated(rights[role])}`;

/** A choice of the roles up to `atMost`, and what the chosen one may do. */
export function RoleSelect({ atMost = "owner", ...props }: NativeSelectProps & { atMost?: Role }) {
  const data = roles.filter((role) => isAtLeast(atMost, role)).map((role) => ({ value: role, label: sentenceCase(translated(role)) }));
  const chosen = roles.find((role) => role === props.value);
  return <NativeSelect label={t("Role")} description={chosen && translated(rights[chosen])} data={data} {...props} />;
}
