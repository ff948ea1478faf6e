import { Button, type ButtonProps } from "@mantine/core";
import { createLink, type LinkComponent } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

type ButtonLinkProps = ButtonProps & Omit<ComponentPropsWithRef<"a">, keyof ButtonProps>;

const AnchorButton = (props: ButtonLinkProps) => <Button component="a" {...props} />;

/** A link to another page that looks like a button. It knows what its page takes. */
export const ButtonLink: LinkComponent<typeof AnchorButton> = createLink(AnchorButton);
