import { Stack, Text } from "@mantine/core";
import type { TemplateDefinition } from "shared/core/template/definition";
import { useMay } from "../../../session/me.ts";
import { PhonePreview } from "../../../ui/message/phone-preview.tsx";
import { Section } from "../../../ui/page/section.tsx";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { LiveAnswer } from "./live-answer.tsx";
import { PayloadSource } from "./payload-source.tsx";
import { PreviewMessage } from "./preview-message.tsx";
import type { Trial } from "./use-trial.ts";

/** What the binding would do with an event, as it stands in the form, without sending anything. */
export function PreviewPanel({ template, trial }: { template: TemplateDefinition | undefined; trial: Trial }) {
  const { payload, preview, isNamed, hasRecipient } = trial;
  const { data, error } = preview;
  const seesPhones = useMay("operator");
  const isComing = payload.isComing || preview.isComing;
  return (
    <Section title="Dry run" lead="By the same plan as a live event, and nothing is sent.">
      <PayloadSource payload={payload} isNamed={isNamed} />
      {payload.error !== null && <FailureNotice title="Could not load the event" error={payload.error} />}
      {error !== null && <FailureNotice title="Could not try it out" error={error} onRetry={preview.retry} />}
      <PhonePreview title="Your customer's phone">
        {template === undefined ? (
          <Text size="sm" ta="center">
            Choose a template to see the message.
          </Text>
        ) : (
          <PreviewMessage template={template} preview={data} isComing={isComing} />
        )}
      </PhonePreview>
      <Stack gap="xs" role="status" aria-live="polite">
        {data !== undefined && payload.isTest && <Text size="sm">A test event goes to the site's test phone only.</Text>}
        {!seesPhones && <Text size="sm">Your role sees no phones, so whom it would reach is not shown.</Text>}
        {data !== undefined && seesPhones && !hasRecipient && (
          <Text size="sm">Say who gets it, and what live would answer shows here.</Text>
        )}
        {data !== undefined && seesPhones && hasRecipient && <LiveAnswer preview={data} />}
      </Stack>
    </Section>
  );
}
