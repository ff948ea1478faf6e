import { NativeSelect, Stack, TextInput } from "@mantine/core";
import { createTokenInput } from "shared/core/input/team";
import type { Role } from "shared/core/role";
import { useMe } from "../../session/me.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { FormButtons } from "../../ui/form/form-buttons.tsx";
import { RoleSelect } from "../../ui/form/role-select.tsx";
import { UnsavedGuard } from "../../ui/form/unsaved-guard.tsx";
import { useInputForm } from "../../ui/form/use-input-form.ts";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { endOfLife, tokenLives } from "./token-life.ts";

interface CreateTokenFormProps {
  onMade: (token: Outputs["tokens"]["create"]) => void;
  onCancel: () => void;
}

const initialValues: { name: string; role: Role; days: string } = { name: "", role: "viewer", days: "90" };

export function CreateTokenForm({ onMade, onCancel }: CreateTokenFormProps) {
  const { user } = useMe();
  const cache = trpc.useUtils();
  const create = trpc.tokens.create.useMutation({
    onSuccess: async (made) => {
      onMade(made);
      await cache.tokens.list.invalidate();
    },
  });
  const { form, refusal, onSubmit } = useInputForm({
    schema: createTokenInput,
    initialValues,
    toInput: ({ name, role, days }) => ({ name, role, expiresAt: endOfLife(days, Date.now()) }),
    submit: create.mutateAsync,
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <Stack gap="md">
        {refusal !== null && <FailureNotice title="No token was made" error={refusal} />}
        <TextInput
          label="Name"
          description="The program that will use it"
          autoComplete="off"
          required
          data-autofocus
          {...form.getInputProps("name")}
        />
        <RoleSelect atMost={user.role} {...form.getInputProps("role")} />
        <NativeSelect label="Good for" data={tokenLives} {...form.getInputProps("days")} />
        <FormButtons submit="Make the token" isPending={create.isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
