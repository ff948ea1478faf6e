import { Button, Group, PasswordInput, Text } from "@mantine/core";
import { confirmInput } from "shared/core/input/team";
import { proof, trpc } from "../trpc.ts";
import { Dialog } from "./dialogs.tsx";
import { by, InputForm, useInputForm } from "./input-form.tsx";

/** Asks for the password in place; what waits for it then goes on, or stays refused. */
export function ProofDialog() {
  const confirm = trpc.auth.confirm.useMutation();
  const form = useInputForm({
    initialValues: { password: "" },
    toInput: (values) => values,
    check: by(confirmInput),
    submit: confirm.mutateAsync,
    onSaved: () => proof.answer(true),
  });
  return (
    <Dialog title="Confirm that it is you" insists opened onClose={() => proof.answer(false)}>
      <InputForm form={form} label="Confirm that it is you" failure="Not confirmed" isGuarded={false}>
        <Text size="sm">This needs your password, unless you entered it in the last 10 minutes.</Text>
        <PasswordInput label="Your password" autoComplete="current-password" required data-autofocus {...form.at("password")} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => proof.answer(false)}>
            Cancel
          </Button>
          <Button type="submit" loading={form.isSaving}>
            Confirm
          </Button>
        </Group>
      </InputForm>
    </Dialog>
  );
}
