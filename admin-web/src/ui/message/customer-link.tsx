import { Text } from "@mantine/core";
import { isE164 } from "shared/core/phone";
import type { SiteMode } from "shared/core/site";
import { pages } from "../../paths.ts";
import { TextLink } from "../base/buttons.tsx";
import { TestSiteMark } from "../base/site-names.tsx";
import classes from "../base/ui.module.css";

/** A phone that leads to everything known about it; plain text if it is masked. */
export const CustomerLink = ({ phone }: { phone: string }) =>
  isE164(phone) ? <TextLink {...pages.customer(phone)}>{phone}</TextLink> : phone;

interface CustomerProps {
  /** A server of an earlier version does not tell it in every list. */
  recipientName?: string | null;
  toPhone: string;
  siteMode: SiteMode;
}

/** The person of a message: the name, where it is known, and the phone. */
export const Customer = ({ recipientName, toPhone, siteMode }: CustomerProps) => (
  <span className={classes["named"]} title={[recipientName, toPhone].filter((part) => part != null).join(" ")}>
    {recipientName != null && <span>{recipientName}</span>}{" "}
    <Text span inherit fw={400} {...(recipientName != null && { c: "dimmed" })}>
      {toPhone}
    </Text>{" "}
    <TestSiteMark mode={siteMode} />
  </span>
);
