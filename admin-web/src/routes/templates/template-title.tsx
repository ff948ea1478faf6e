import { Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import type { Outputs } from "../../trpc.ts";
import { rejectionAdvice } from "../../ui/template/rejection-advice.ts";
import { TextLink } from "../../ui/text-link.tsx";

/** A template's name over the beginning of its text; for one that was refused, why. */
export function TemplateTitle({ id, name, body, status, reason }: Outputs["templates"]["list"]["items"][number]) {
  return (
    <>
      <TextLink to={paths.template} params={{ templateId: id }} fw={600} underline="hover" display="block" w="fit-content">
        {name}
      </TextLink>
      <Text size="xs" c="dimmed" fw={400} lineClamp={1} maw="26rem" title={body}>
        {body}
      </Text>
      {reason !== null && status !== "approved" && (
        <Text size="xs" c="var(--mantine-color-error)" fw={400} lineClamp={2} maw="26rem" title={reason}>
          {rejectionAdvice(reason) ?? reason}
        </Text>
      )}
    </>
  );
}
