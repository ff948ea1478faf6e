import { Stack, Text, Alert, Group, Loader, Button } from "@mantine/core";
import type { ReactNode } from "react";
import { exampleTemplate } from "shared/core/example";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { ButtonLink, TextLink } from "../../ui/buttons.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { TemplateStatusBadge } from "../../ui/template-words.tsx";
import { ForRole } from "./platform-and-site-steps.tsx";
import type { Facts } from "./progress.ts";

export function TemplateSummary({ approved }: Facts) {
  return approved === undefined ? "WhatsApp approves the text of a message before it can be sent." : `${approved.name} is approved.`;
}

export function TemplateStep({ settings: { platform }, example, approved }: Facts) {
  if (approved !== undefined) return <TemplateLink id={approved.id}>Open {approved.name}</TemplateLink>;
  if (!platform.configured) return <Text size="sm">Connect WhatsApp first: it approves templates.</Text>;
  if (example !== undefined && example.status !== "draft") return <ExampleInReview example={example} />;
  return platform.sandbox ? <ExampleTemplate example={example} /> : <OwnTemplate />;
}

function ExampleTemplate({ example }: Pick<Facts, "example">) {
  return (
    <Stack gap="md" align="flex-start">
      <Text size="sm">
        A template is the text of a message, with numbered variables. The example confirms an order. The sandbox approves it within a second
        or two.
      </Text>
      <ForRole>
        <SubmitExample example={example} />
        <TextLink to={paths.newTemplate}>Create your own instead</TextLink>
      </ForRole>
    </Stack>
  );
}

function OwnTemplate() {
  return (
    <Stack gap="md" align="flex-start">
      <Text size="sm">
        Create a template and submit it; the review by WhatsApp takes minutes, sometimes a day. If your WhatsApp account already has
        approved templates, sync them.
      </Text>
      <ForRole>
        <ButtonLink to={paths.newTemplate}>Create template</ButtonLink>
        <SyncTemplates>Sync templates</SyncTemplates>
      </ForRole>
    </Stack>
  );
}

function ExampleInReview({ example: { id, name, status, reason } }: { example: NonNullable<Facts["example"]> }) {
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
          <Text size="sm">WhatsApp is reviewing it. This page updates by itself.</Text>
          <ForRole>
            <SyncTemplates>Check now</SyncTemplates>
          </ForRole>
        </>
      ) : (
        <>
          <Alert color="red" title={`The example is ${status}`}>
            {reason ?? "WhatsApp gave no reason."}
          </Alert>
          <TemplateLink id={id}>Open template to correct it</TemplateLink>
        </>
      )}
    </Stack>
  );
}

/** Reads the platform's templates now, in case its callback does not arrive. */
function SyncTemplates({ children }: { children: ReactNode }) {
  const cache = trpc.useUtils();
  const sync = trpc.templates.sync.useMutation({ onSuccess: () => cache.templates.invalidate() });
  return (
    <>
      {sync.error !== null && <FailureNotice title="Could not sync templates" error={sync.error} />}
      <Button variant="default" loading={sync.isPending} onClick={() => sync.mutate()}>
        {children}
      </Button>
    </>
  );
}

function TemplateLink({ id, children }: { id: string; children: ReactNode }) {
  return (
    <TextLink to={paths.template} params={{ templateId: id }}>
      {children}
    </TextLink>
  );
}

/** Creates the example and submits it; continues with an example that an earlier click created. */
function SubmitExample({ example }: Pick<Facts, "example">) {
  const cache = trpc.useUtils();
  const create = trpc.templates.create.useMutation();
  const submit = trpc.templates.submit.useMutation();
  const run = async () => {
    try {
      const { id } = example ?? (await create.mutateAsync(exampleTemplate)).template;
      await submit.mutateAsync({ id });
    } catch {
      // The mutations hold their errors.
    } finally {
      await cache.templates.invalidate();
    }
  };
  const error = create.error ?? submit.error;
  return (
    <>
      {error !== null && <FailureNotice title="Could not submit the template" error={error} />}
      <Button loading={create.isPending || submit.isPending} onClick={() => void run()}>
        {example === undefined ? "Create and submit example" : "Submit example"}
      </Button>
    </>
  );
}
