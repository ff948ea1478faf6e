import { Alert, Stack, Text } from "@mantine/core";
import { useMay } from "../../../session/me.ts";
import { rejectionAdvice } from "../../../ui/template/rejection-advice.ts";
import type { Template } from "../template.ts";
import { statusWords } from "./status-words.ts";

/** Where a template stands, why, and what to do. */
export function StatusNotice({ template }: { template: Template }) {
  const { status, reason } = template;
  const mayWrite = useMay("operator");
  if (status === "approved" || (status === "draft" && reason === null && mayWrite)) return null;
  const { color, title, text } = statusWords[status];
  const advice = reason === null ? undefined : rejectionAdvice(reason);
  return (
    <Alert color={color} title={title} role="status">
      <Stack gap={6}>
        {reason !== null && (
          <Text size="sm">
            The platform’s reason: <strong>{reason}</strong>
          </Text>
        )}
        {advice !== undefined && <Text size="sm">{advice}</Text>}
        <Text size="sm">{text}</Text>
      </Stack>
    </Alert>
  );
}
