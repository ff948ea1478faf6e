import { Stack, Text } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { ButtonLink } from "../../../ui/button-link.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import { ForRole } from "../for-role.tsx";
import type { Facts } from "../progress.ts";
import { AskPlatform } from "./ask-platform.tsx";
import { ExampleInReview } from "./example-in-review.tsx";
import { SubmitExample } from "./submit-example.tsx";
import { TemplateLink } from "./template-link.tsx";

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
