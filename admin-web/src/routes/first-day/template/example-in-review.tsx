import { Alert, Group, Loader, Stack, Text } from "@mantine/core";
import { TemplateStatusBadge } from "../../../ui/template/template-status-badge.tsx";
import { ForRole } from "../for-role.tsx";
import type { Facts } from "../progress.ts";
import { AskPlatform } from "./ask-platform.tsx";
import { TemplateLink } from "./template-link.tsx";

/** The example once it was submitted, until it is approved. */
export function ExampleInReview({ example: { id, name, status, reason } }: { example: NonNullable<Facts["example"]> }) {
  const isPending = status === "pending";
  return (
    <Stack gap="sm" align="flex-start">
      <Group gap="sm">
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <TemplateStatusBadge status={status} />
        {isPending && <Loader size="xs" aria-hidden />}
      </Group>
      {isPending ? (
        <>
          <Text size="sm">The platform is looking at it. This page goes on by itself.</Text>
          <ForRole>
            <AskPlatform>Ask the platform now</AskPlatform>
          </ForRole>
        </>
      ) : (
        <>
          <Alert color="red" title={`The example is ${status}`}>
            {reason ?? "The platform gave no reason."}
          </Alert>
          <TemplateLink id={id}>Open it to put it right</TemplateLink>
        </>
      )}
    </Stack>
  );
}
