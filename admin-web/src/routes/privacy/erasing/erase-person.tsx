import { Button, Card, Group, List, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type FormEvent, useState } from "react";
import { erasePersonInput } from "shared/core/input/team";
import { trpc } from "../../../trpc.ts";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { PhoneInput } from "../../../ui/form/phone-input.tsx";

/** Whose data, typed here and once more to confirm: there is no list of people to pick from. */
export function ErasePerson() {
  const [phone, setPhone] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const erase = trpc.people.erase.useMutation({ onSettled: () => Promise.all([cache.people.invalidate(), cache.optOuts.invalidate()]) });
  const ask = (event: FormEvent) => {
    event.preventDefault();
    const problem = erasePersonInput.safeParse({ phone }).error?.issues[0]?.message ?? null;
    setError(problem);
    if (problem === null) dialog.open();
  };
  const confirm = async () => {
    await erase.mutateAsync({ phone });
    setPhone("");
    setRound(round + 1);
  };
  return (
    <Card withBorder>
      <Stack gap="md">
        <WhatIsErased />
        <form onSubmit={ask} aria-label="Forget one person" noValidate>
          <Stack gap="sm">
            <PhoneInput key={round} label="Phone" maw="20rem" error={error} onChange={setPhone} />
            <Group>
              <Button type="submit" color="red.9">
                Forget this person
              </Button>
            </Group>
          </Stack>
        </form>
      </Stack>
      <ConfirmDialog
        title="Forget this person for good?"
        action="Forget"
        typed={phone}
        opened={opened}
        onClose={dialog.close}
        onConfirm={confirm}
      >
        What is stored of {phone} is removed in the background, and nobody can bring it back. Backups that were made before still hold it.
      </ConfirmDialog>
    </Card>
  );
}

function WhatIsErased() {
  return (
    <div>
      <Text size="sm">In every site of the account, for events up to now:</Text>
      <List size="sm" mt={4} spacing={2}>
        <List.Item>payloads that name the phone are removed, with their orders and samples;</List.Item>
        <List.Item>messages stay in the log as a line, with the phone masked and without what was said;</List.Item>
        <List.Item>the phone leaves recipients and test phones; an opt-out still counts, as a digest.</List.Item>
      </List>
    </div>
  );
}
