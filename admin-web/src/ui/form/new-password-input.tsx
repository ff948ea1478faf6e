import { PasswordInput, type PasswordInputProps } from "@mantine/core";
import { shortestPassword } from "shared/core/input/team";

/** Where a password is set, not asked for. */
export function NewPasswordInput(props: PasswordInputProps) {
  return (
    <PasswordInput
      label="New password"
      description={`At least ${shortestPassword} characters, and not a common one`}
      autoComplete="new-password"
      required
      {...props}
    />
  );
}
