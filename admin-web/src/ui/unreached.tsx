import { List } from "@mantine/core";
import { describeReason, type Unreached } from "shared/core/reason";
import { formatCount, formatCountOf } from "../format.ts";
import { paths } from "../paths.ts";
import { type Outputs, trpc } from "../trpc.ts";
import { TextLink } from "./buttons.tsx";
import { Moment } from "./facts.tsx";
import { daysBack, daySpan } from "./search-params.ts";

type UnreachedReason = Outputs["stats"]["unreached"]["items"][number];

/** Events of a site with a message that had no recipient, the most frequent reason first. */
export interface UnreachedSite {
  siteId: string;
  name: string;
  /** The first day that counts. */
  from: string;
  reasons: UnreachedReason[];
}

/** The last seven days' by site. */
export function useUnreached(siteId?: string): { sites: UnreachedSite[]; query: Pick<Query, "error" | "isError" | "refetch"> } {
  const from = daysBack(6);
  const query = trpc.stats.unreached.useQuery({ siteId, from: daySpan({ from }).from }, { refetchInterval: 60_000 });
  return { sites: bySite(query.data?.items ?? [], from), query };
}

type Query = ReturnType<typeof trpc.stats.unreached.useQuery>;

function bySite(items: readonly UnreachedReason[], from: string): UnreachedSite[] {
  const sites = new Map<string, UnreachedSite>();
  for (const item of items) {
    const site = sites.get(item.siteId) ?? { siteId: item.siteId, name: item.siteName, from, reasons: [] };
    sites.set(item.siteId, { ...site, reasons: [...site.reasons, item] });
  }
  return [...sites.values()];
}

/** `12 events of Shop without a recipient`. */
export function unreachedTitle({ name, reasons }: Pick<UnreachedSite, "name" | "reasons">): string {
  const count = reasons.reduce((sum, each) => sum + each.count, 0);
  const events = reasons.some(({ more }) => more) ? `${formatCount(count)} or more events` : formatCountOf(count, "event");
  return `${events} of ${name} without a recipient`;
}

/** Each reason with its events, and what to do. */
export function UnreachedReasons({ siteId, name, from, reasons }: UnreachedSite) {
  return (
    <List size="sm" spacing={4} aria-label={`Why events of ${name} have no recipient`}>
      {reasons.map(({ key, count, reasonCode, lastEventAt }) => (
        <List.Item key={key}>
          <TextLink to={paths.events} search={{ siteId, unreached: key, from }} underline="always" c="inherit" inherit>
            {formatCountOf(count, "event")}
          </TextLink>
          , last <Moment at={lastEventAt} />. {describeReason(reasonCode, "page")}. {adviceOf(reasonCode)}
        </List.Item>
      ))}
    </List>
  );
}

function adviceOf(reason: Unreached): string {
  switch (reason.code) {
    case "no_phone_at_path":
      return "Have the shop ask for a phone, or choose another field in the binding.";
    case "no_active_recipient":
      return "Add an active phone to the site's recipients.";
    case "no_test_phone":
      return "Enter the site's test phone.";
    case "phone_unreadable":
      return reason.problem === "no_country"
        ? "Switch on “Complete numbers” on the site's page and choose its country."
        : "Correct the phone where it is entered.";
  }
}
