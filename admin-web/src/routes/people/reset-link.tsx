import { Button, Group, Stack, Text } from "@mantine/core";
import { trpc } from "../../trpc.ts";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { SecretOnce } from "../../ui/dialog/secret-once.tsx";
import { Moment } from "../../ui/moment.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import type { Member } from "./member.ts";

/** Makes a link by which the person sets a new password. */
export function ResetLink({ member: { id, name }, opened, onClose }: { member: Member; opened: boolean; onClose: () => void }) {
  const make = trpc.users.resetPassword.useMutation();
  const close = () => {
    onClose();
    make.reset();
  };
  return (
    <Dialog title={`New password for ${name}`} opened={opened} onClose={close} insists={make.isSuccess}>
      {make.data === undefined ? (
        <Stack gap="md">
          <Text size="sm">
            Makes a link that is good for a day and once. By it {name} sets a password that nobody else learns; until then the old one
            works. A link that was made before stops working.
          </Text>
          {make.error !== null && <FailureNotice title="No link was made" error={make.error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button loading={make.isPending} onClick={() => make.mutate({ id })}>
              Make the link
            </Button>
          </Group>
        </Stack>
      ) : (
        <SecretOnce label="Link" secret={make.data.url} onSaved={close}>
          Send it to {name}: no mail was sent. It works once, until <Moment at={make.data.expiresAt} />.
        </SecretOnce>
      )}
    </Dialog>
  );
}
