import type { ButtonProps } from "@mantine/core";
import type { Tone } from "shared/core/message";
import type { DeliveryStatus, WebhookType } from "shared/core/webhook";
import { formatDuration, formatParts } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { ButtonLink, TextLink } from "../base/buttons.tsx";
import { breakable, Due, Fact, Moment, Status } from "../base/facts.tsx";
import { tableOf } from "../base/labels.ts";
import { rich } from "../base/page.tsx";
import endpointsLabels from "./endpoints-labels.json";
import httpAnswers from "./http-answers.json";
import classes from "../table/data-table.module.css";

export type Endpoint = Outputs["webhooks"]["list"]["items"][number];
type Delivery = Outputs["webhookDeliveries"]["list"]["items"][number];

/** The events that an endpoint may be told, in plain words. */
export const webhookTypeLabels: Record<WebhookType, string> = tableOf(endpointsLabels.types);

const deliveryTones: Record<DeliveryStatus, Tone> = { pending: "waiting", delivered: "delivered", failed: "failed" };

/** The status of a delivery; one that has failed and is tried again says so. */
export function DeliveryBadge({ status, attempts, nextAttemptAt }: Pick<Delivery, "status" | "attempts" | "nextAttemptAt">) {
  if (status === "pending" && nextAttemptAt === null) return <Status tone="waiting">{t("to be given up")}</Status>;
  if (status === "pending" && attempts > 0) return <Status tone="attention">{t("failed, retrying")}</Status>;
  return <Status tone={deliveryTones[status]}>{translated(status)}</Status>;
}

const outcomes: Partial<Record<string, string>> = tableOf(endpointsLabels.outcomes);

/** The result of an attempt: the answer's code, or the reason why there is none. */
export function describeAnswer({ code, error }: { code: number | null; error: string | null }): string {
  const reason = error === null || error === "refused" ? null : (outcomes[error] ?? error);
  const answer = code === null ? null : [code, statusNames[code]].filter((part) => part !== undefined).join(" ");
  return formatParts([answer, reason], ": ");
}

/** The names of the answers that refuse a request, as HTTP has them (RFC 9110), in no language but its own. */
const statusNames: Partial<Record<number, string>> = httpAnswers;

/** A sentence on where a delivery stands. */
export function DeliveryOutcome({ delivery }: { delivery: Delivery }) {
  const { status, attempts, nextAttemptAt, lastStatusCode: code, lastError: error } = delivery;
  const last = describeAnswer({ code, error });
  if (status === "delivered") return t("Delivered: the endpoint answered {last}.", { last });
  if (status === "failed") return t("Failed. {last}.", { last });
  if (nextAttemptAt === null) return t("Given up when its turn comes: the endpoint is off.");
  if (attempts === 0) return t("About to be sent…");
  return rich(t("{last}. Next attempt: <0/>.", { last }), <Due at={nextAttemptAt} />);
}

/** Leads to the form of a new endpoint. */
export const AddEndpointLink = ({ siteId, ...button }: Pick<ButtonProps, "variant" | "size"> & { siteId?: string | undefined }) => (
  <ButtonLink to={paths.webhooks} search={{ tab: "new-endpoint", siteId }} {...button}>
    {t("Add endpoint")}
  </ButtonLink>
);

/** An endpoint by its address, with its number where its site has several at one host: problems name it by host and number. */
export const endpointName = ({ url, numberAtHost }: Pick<Endpoint, "url"> & Partial<Pick<Endpoint, "numberAtHost">>): string =>
  numberAtHost == null ? url : `${url} (${numberAtHost})`;

/** The signs of an address's end that are never cut off. */
const endSigns = 12;

/** An address in a list, cut before its end: many begin alike. Whole for screen readers, and while it is pointed at or has the focus. */
export const EndpointUrl = ({ url }: { url: string }) => (
  <span className={classes["url"]} title={url} dir="ltr">
    <span>{breakable(url.slice(0, -endSigns))}</span>
    <span>{url.slice(-endSigns)}</span>
  </span>
);

/** How an endpoint stands: the reason why it is off, or the time since when it fails. */
export function EndpointState({ endpoint: { enabled, disabledBecause, failingSince } }: { endpoint: Endpoint }) {
  if (!enabled && disabledBecause !== null) return <Status tone="failed">{`${t("off")} · ${disabledLabels[disabledBecause]}`}</Status>;
  if (!enabled) return <Status tone="waiting">{t("off")}</Status>;
  if (failingSince === null) return <Status tone="delivered">{t("on")}</Status>;
  return <Status tone="attention">{rich(t("failing since <0/>"), <Moment at={failingSince} />)}</Status>;
}

/** The reasons for which the service itself switches an endpoint off. */
const disabledLabels: Record<NonNullable<Endpoint["disabledBecause"]>, string> = tableOf(endpointsLabels.disabled);

/** How many of its newest deliveries that were tried have arrived; null where none was. */
export const rate = ({ successRate: share, triedCount: count }: Endpoint): string | null =>
  share === null ? null : t("{arrived} of the last {count} tried", { arrived: Math.round(share * count), count });

/** The duration of an attempt. */
export const formatMs = (ms: number): string => (ms < 1000 ? t("{ms} ms", { ms }) : formatDuration(ms / 1000));

const mostCounted = 200;

/** The number of deliveries about a message, or about an event's messages; draws nothing without any. */
export function ToldFact(about: { notificationId: string } | { eventId: string }) {
  const told = trpc.webhookDeliveries.list.useQuery({ ...about, limit: mostCounted }, { staleTime: 5000 });
  const items = told.data?.items ?? [];
  if (items.length === 0) return null;
  const failed = items.filter(({ status }) => status === "failed").length;
  return (
    <Fact name={t("Webhooks")}>
      <TextLink to={paths.webhooks} search={about}>
        {told.data?.nextCursor != null && t("more than ")}
        {t("{count, plural, one {# delivery} other {# deliveries}}", { count: items.length })}
      </TextLink>
      {failed > 0 && t(", {failed} failed", { failed })}
    </Fact>
  );
}
