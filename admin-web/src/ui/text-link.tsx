import { Anchor, type AnchorProps } from "@mantine/core";
import { createLink, type LinkComponent } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

type TextLinkProps = AnchorProps & Omit<ComponentPropsWithRef<"a">, keyof AnchorProps>;

const Underlined = (props: TextLinkProps) => <Anchor underline="always" inherit {...props} />;

/** A link to another page in running text, of the text's own size. It knows what its page takes, which a link as an Anchor's component does not. */
export const TextLink: LinkComponent<typeof Underlined> = createLink(Underlined);
