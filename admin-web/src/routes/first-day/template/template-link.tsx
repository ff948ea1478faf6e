import type { ReactNode } from "react";
import { paths } from "../../../paths.ts";
import { TextLink } from "../../../ui/text-link.tsx";

export function TemplateLink({ id, children }: { id: string; children: ReactNode }) {
  return (
    <TextLink to={paths.template} params={{ templateId: id }}>
      {children}
    </TextLink>
  );
}
