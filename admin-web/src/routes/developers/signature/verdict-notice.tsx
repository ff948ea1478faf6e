import { Alert, List } from "@mantine/core";
import type { Verdict } from "./judge-signature.ts";

export function VerdictNotice({ verdict }: { verdict: Verdict }) {
  if (verdict.is === "valid")
    return (
      <Alert color="teal" title="The signature is right">
        A gateway takes it, byte for byte.
      </Alert>
    );
  return (
    <Alert color="red" title="A gateway refuses it: Invalid signature">
      <List size="sm">
        {verdict.faults.map((fault) => (
          <List.Item key={fault}>{fault}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
