import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState, type FormEvent, type ReactNode } from "react";
import { FailureNotice } from "../states/failure-notice.tsx";

interface ConfirmFormProps {
  action: string;
  typed?: string | undefined;
  /** What is asked for can be done at all. */
  isAllowed?: boolean;
  onClose: () => void;
  onConfirm: () => Promise<unknown>;
  children: ReactNode;
}

export function ConfirmForm({ action, typed, isAllowed = true, onClose, onConfirm, children }: ConfirmFormProps) {
  const [text, setText] = useState("");
  const { run, isRunning, refusal } = useRefusable(onConfirm, onClose);
  const isReady = isAllowed && (typed === undefined || text.trim() === typed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) void run();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text component="div" size="sm">
          {children}
        </Text>
        {typed !== undefined && (
          <TextInput
            label={`Type ${typed} to confirm`}
            autoComplete="off"
            data-autofocus
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        {refusal !== null && <FailureNotice title="It was not done" error={refusal} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red.9" disabled={!isReady} loading={isRunning}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useRefusable(work: () => Promise<unknown>, onDone: () => void) {
  const [isRunning, setRunning] = useState(false);
  const [refusal, setRefusal] = useState<Error | null>(null);
  const run = async () => {
    setRunning(true);
    setRefusal(null);
    try {
      await work();
      onDone();
    } catch (error) {
      setRefusal(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setRunning(false);
    }
  };
  return { run, isRunning, refusal };
}
