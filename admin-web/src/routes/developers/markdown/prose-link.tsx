import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { paths } from "../../../paths.ts";
import { TextLink } from "../../../ui/text-link.tsx";
import { isTopic } from "../docs/topic-texts.ts";

/** A link within the documentation, such as `templates#media-headers`, or one that leads out of the dashboard. */
export function ProseLink({ href = "", children }: { href: string | undefined; children: ReactNode }) {
  const [topic = "", slug = ""] = href.split("#");
  if (isTopic(topic))
    return (
      <TextLink to={paths.topic} params={{ topic }} hash={slug}>
        {children}
      </TextLink>
    );
  return (
    <Anchor href={href} underline="always" inherit target="_blank" rel="noreferrer">
      {children}
    </Anchor>
  );
}
