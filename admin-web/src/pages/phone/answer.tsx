import { Button, Group, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { trpc } from "../../trpc.ts";
import { FailureNotice } from "../../ui/page-states.tsx";

/** Writes to the account as the person with the phone `from`. */
export function Answer({ from }: { from: string }) {
  const [text, setText] = useState("");
  const answer = trpc.sandbox.answer.useMutation({ onSuccess: () => setText("") });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "") answer.mutate({ from, text });
  };
  return (
    <form onSubmit={submit} aria-label="Answer">
      <Group gap="sm" align="end" mt="sm">
        <TextInput
          label={`Answer as ${from}`}
          placeholder="Stop"
          maxLength={4096}
          flex={1}
          miw="10rem"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={answer.isPending}>
          Send answer
        </Button>
      </Group>
      <Text size="sm" c="dimmed" mt={4} aria-live="polite">
        {answer.isSuccess
          ? `Sent: “${answer.variables.text}”. A stop or start word takes effect within seconds; see Privacy.`
          : "A stop word such as Stop opts this person out, a start word lets messages in again. Nothing else is kept."}
      </Text>
      {answer.error !== null && <FailureNotice title="Could not send the answer" error={answer.error} />}
    </form>
  );
}
