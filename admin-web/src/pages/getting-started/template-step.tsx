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
  return approved === undefined ? "The platform approves what a message says before it can be sent." : `${approved.name} is approved.`;
}

export function TemplateStep({ settings: { platform }, example, approved }: Facts) {
  if (approved !== undefined) return <TemplateLink id={approved.id}>Open {approved.name}</TemplateLink>;
  if (!platform.configured) return <Text size="sm">First connect the platform: it is the one that approves.</Text>;
  if (example !== undefined && example.status !== "draft") return <ExampleInReview example={example} />;
  return platform.sandbox ? <ExampleTemplate example={example} /> : <OwnTemplate />;
}

function ExampleTemplate({ example }: Pick<Facts, "example">) {
  return (
    <Stack gap="md" align="flex-start">
      <Text size="sm">
        A template is the text of a message, with numbered slots for what changes. The example confirms an order. The sandbox approves it
        within a second or two.
      </Text>
      <ForRole>
        <SubmitExample example={example} />
        <TextLink to={paths.newTemplate}>Write one of your own instead</TextLink>
      </ForRole>
    </Stack>
  );
}

function OwnTemplate() {
  return (
    <Stack gap="md" align="flex-start">
      <Text size="sm">
        Write a template and submit it; the platform&apos;s review takes minutes, sometimes a day. If your account has approved templates
        already, bring them in.
      </Text>
      <ForRole>
        <ButtonLink to={paths.newTemplate}>Write a template</ButtonLink>
        <AskPlatform>Bring in the platform&apos;s templates</AskPlatform>
      </ForRole>
    </Stack>
  );
}

/** The example once it was submitted, until it is approved. */
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

/** Reads the platform's templates now, should its word not come by itself. */
function AskPlatform({ children }: { children: ReactNode }) {
  const cache = trpc.useUtils();
  const sync = trpc.templates.sync.useMutation({ onSuccess: () => cache.templates.invalidate() });
  return (
    <>
      {sync.error !== null && <FailureNotice title="Could not ask the platform" error={sync.error} />}
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

/** Makes the example and submits it at one click; what an earlier click left half done is gone on with. */
function SubmitExample({ example }: Pick<Facts, "example">) {
  const cache = trpc.useUtils();
  const create = trpc.templates.create.useMutation();
  const submit = trpc.templates.submit.useMutation();
  const run = async () => {
    try {
      const { id } = example ?? (await create.mutateAsync(exampleTemplate)).template;
      await submit.mutateAsync({ id });
    } catch {
      // Each says itself what went wrong.
    } finally {
      await cache.templates.invalidate();
    }
  };
  const error = create.error ?? submit.error;
  return (
    <>
      {error !== null && <FailureNotice title="The template was not submitted" error={error} />}
      <Button loading={create.isPending || submit.isPending} onClick={() => void run()}>
        {example === undefined ? "Make the example and submit it" : "Submit the example"}
      </Button>
    </>
  );
}
