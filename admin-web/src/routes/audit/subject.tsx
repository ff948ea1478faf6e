import { Code, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { isUuid } from "shared/core/uuid";
import { paths } from "../../paths.ts";
import type { Outputs } from "../../trpc.ts";
import { TextLink } from "../../ui/text-link.tsx";
import { type SubjectPage, subjectPage } from "./subject-page.ts";

/** What was changed: its id, and the way to its page where it has one. */
export function Subject({ action, subject }: Outputs["audit"]["list"]["items"][number]) {
  if (subject === null) return null;
  const page = isUuid(subject) ? subjectPage(action) : undefined;
  return (
    <Stack gap={2} align="flex-start">
      {page !== undefined && links[page](subject)}
      <Code>{subject}</Code>
    </Stack>
  );
}

const links: Record<SubjectPage, (id: string) => ReactNode> = {
  site: (siteId) => (
    <TextLink to={paths.site} params={{ siteId }}>
      The site
    </TextLink>
  ),
  template: (templateId) => (
    <TextLink to={paths.template} params={{ templateId }}>
      The template
    </TextLink>
  ),
  binding: (bindingId) => (
    <TextLink to={paths.binding} params={{ bindingId }}>
      The binding
    </TextLink>
  ),
  message: (open) => (
    <TextLink to={paths.log} search={{ open }}>
      The message
    </TextLink>
  ),
  resends: (resends) => (
    <TextLink to={paths.log} search={{ resends }}>
      How far it is
    </TextLink>
  ),
};
