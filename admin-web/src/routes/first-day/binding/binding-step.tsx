import { Text } from "@mantine/core";
import { exampleEvent } from "shared/core/example";
import { paths } from "../../../paths.ts";
import { ButtonLink } from "../../../ui/button-link.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import { ForRole } from "../for-role.tsx";
import type { Facts } from "../progress.ts";
import { ExampleBinding } from "./example-binding.tsx";

export function BindingSummary({ binding }: Facts) {
  return binding === undefined
    ? "Which event sends which template, to whom, filled with what."
    : `${binding.event} sends ${binding.template}.`;
}

export function BindingStep({ site, example, approved, binding }: Facts) {
  if (binding !== undefined)
    return (
      <TextLink to={paths.binding} params={{ bindingId: binding.id }}>
        Open the binding
      </TextLink>
    );
  if (site === undefined || approved === undefined)
    return <Text size="sm">It takes a site and an approved template: the steps before this one.</Text>;
  if (approved.id === example?.id) return <ExampleBinding site={site} template={approved} />;
  return (
    <ForRole>
      <ButtonLink to={paths.newBinding} search={{ siteId: site.id, event: exampleEvent, templateId: approved.id }}>
        Bind {exampleEvent} to {approved.name}
      </ButtonLink>
    </ForRole>
  );
}
