import { paths } from "../../../paths.ts";
import { ButtonLink } from "../../../ui/button-link.tsx";
import { valuesOf } from "../editor/values-of.ts";
import type { Template } from "../template.ts";

/** Leads to a new template with this one's text; nothing for one that the editor cannot hold. */
export function DuplicateLink({ template }: { template: Template }) {
  if (valuesOf(template) === null) return null;
  return (
    <ButtonLink
      to={paths.newTemplate}
      search={{ from: template.id }}
      variant="default"
      title="Into another language, or under another name"
    >
      Duplicate
    </ButtonLink>
  );
}
