import { Stack, TextInput } from "@mantine/core";
import { inviteInput } from "shared/core/input/team";
import type { Role } from "shared/core/role";
import { type Outputs, trpc } from "../../trpc.ts";
import { FormButtons } from "../../ui/form/form-buttons.tsx";
import { RoleSelect } from "../../ui/form/role-select.tsx";
import { UnsavedGuard } from "../../ui/form/unsaved-guard.tsx";
import { useInputForm } from "../../ui/form/use-input-form.ts";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";

interface InviteFormProps {
  onMade: (invitation: Outputs["users"]["invite"]) => void;
  onCancel: () => void;
}

const initialValues: { email: string; role: Role } = { email: "", role: "operator" };

export function InviteForm({ onMade, onCancel }: InviteFormProps) {
  const cache = trpc.useUtils();
  const invite = trpc.users.invite.useMutation({
    onSuccess: async (made) => {
      onMade(made);
      await cache.users.invites.list.invalidate();
    },
  });
  const { form, refusal, onSubmit } = useInputForm({
    schema: inviteInput,
    initialValues,
    toInput: (values) => values,
    submit: invite.mutateAsync,
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <UnsavedGuard isUnsaved={form.isDirty} />
      <Stack gap="md">
        {refusal !== null && <FailureNotice title="Nobody was invited" error={refusal} />}
        <TextInput label="E-mail" type="email" autoComplete="off" required data-autofocus {...form.getInputProps("email")} />
        <RoleSelect {...form.getInputProps("role")} />
        <FormButtons submit="Make the link" isPending={invite.isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
