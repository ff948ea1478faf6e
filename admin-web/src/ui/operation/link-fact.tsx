import { Anchor, Code, Group } from "@mantine/core";
import { createLink, type LinkComponent } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";
import { t } from "../../language.ts";
import { pages } from "../../paths.ts";
import { CopyButton } from "../base/buttons.tsx";
import { Fact } from "../base/facts.tsx";
import { useSiteName } from "../base/site-names.tsx";

const Linked = ({ name, children, ...link }: ComponentPropsWithRef<"a"> & { name: string }) => (
  <Fact name={name}>
    <Anchor inherit {...link}>
      {children}
    </Anchor>
  </Fact>
);

/** A `Fact` whose value leads to its page. */
export const LinkFact: LinkComponent<typeof Linked> = createLink(Linked);

export const SiteFact = ({ siteId }: { siteId: string }) => (
  <LinkFact name={t("Site")} {...pages.site(siteId)}>
    {useSiteName()(siteId)}
  </LinkFact>
);

/** A `Fact` with a button that copies its text, which is code unless it is shown otherwise. `what`: the text's name, where that is another. */
export const CopyFact = ({ name, text, what = name, children }: Record<"name" | "text", string> & { what?: string; children?: string }) => (
  <Fact name={name}>
    <Group gap="xs">
      {children ?? <Code>{text}</Code>}
      <CopyButton text={text} what={what} size="compact-xs" />
    </Group>
  </Fact>
);
