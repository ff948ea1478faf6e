import { Alert, Button, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyField } from "../copy-field.tsx";

interface SecretOnceProps {
  /** What the secret is called. */
  label: string;
  secret: string;
  /** What to do with it. */
  children: ReactNode;
  onSaved: () => void;
}

/** A secret that the server will not show again. */
export function SecretOnce({ label, secret, children, onSaved }: SecretOnceProps) {
  return (
    <Stack gap="md">
      <Text size="sm" component="div">
        {children}
      </Text>
      <CopyField label={label} value={secret} data-autofocus />
      <Alert color="yellow">It is shown this once. Whoever has it can use it: hand it on by a way that you trust.</Alert>
      <Button onClick={onSaved}>I have saved it</Button>
    </Stack>
  );
}
