import type { Tone } from "shared/core/message";
import type { DeliveryStatus, WebhookType } from "shared/core/webhook";
import { formatDuration } from "../format.ts";
import { t, translated } from "../language.ts";
import { paths } from "../paths.ts";
import { type Outputs, trpc } from "../trpc.ts";
import { TextLink } from "./buttons.tsx";
import { Due, Fact, Moment } from "./facts.tsx";
import { Status } from "./status-badge.tsx";

export type Endpoint = Outputs["webhooks"]["list"]["items"][number];
type Delivery = Outputs["webhookDeliveries"]["list"]["items"][number];

/** The events that an endpoint may be told, in plain words. */
export const webhookTypeLabels: Record<WebhookType, string> = {
  "message.sent": t("WhatsApp accepted a message"),
  "message.delivered": t("A message is on the recipient's phone"),
  "message.read": t("The recipient opened a message"),
  "message.failed": t("A message could not be sent or delivered"),
  "message.updated": t("Any of these, with order, attempt and error"),
  "message.received": t("Somebody wrote to your number"),
  "customer.opted_out": t("A customer wants no more messages"),
  "customer.opted_in": t("A customer wants messages again"),
};

const deliveryTones: Record<DeliveryStatus, Tone> = { pending: "waiting", delivered: "delivered", failed: "failed" };

/** The status of a delivery; one that has failed and is tried again says so. */
export function DeliveryBadge({ status, attempts }: Pick<Delivery, "status" | "attempts">) {
  if (status === "pending" && attempts > 0) return <Status tone="attention">{t("failed, retrying")}</Status>;
  return <Status tone={deliveryTones[status]}>{translated(status)}</Status>;
}

const outcomes: Partial<Record<string, string>> = {
  redirect: t("a redirect, which is not followed: enter the address that it points to"),
  timeout: t("No whole answer within 15 seconds"),
  unreachable: t("No connection"),
  unknown_host: t("The host is not known"),
  bad_certificate: t("The certificate is not valid"),
  address_private: t("The address is private: see WEBHOOK_ALLOW_PRIVATE"),
  not_encrypted: t("The address begins with http: use https"),
  no_secret: t("The secret cannot be read: rotate it"),
  unreadable: t("Its content is no longer kept"),
  disabled: t("The endpoint was off"),
  restored: t("It was waiting when the restored backup was made"),
};

/** The result of an attempt: the answer's code, or the reason why there is none. */
export function describeAnswer({ code, error }: { code: number | null; error: string | null }): string {
  const reason = error === null || error === "refused" ? null : (outcomes[error] ?? error);
  const answer = code === null ? null : [code, statusNames[code]].filter((part) => part !== undefined).join(" ");
  return [answer, reason].filter((part) => part !== null).join(": ");
}

/** The names of the answers that refuse a request, as HTTP has them (RFC 9110), in no language but its own. */
const statusNames: Partial<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** A sentence on where a delivery stands. */
export function DeliveryOutcome({ delivery }: { delivery: Delivery }) {
  const { status, attempts, nextAttemptAt, lastStatusCode: code, lastError: error } = delivery;
  const last = describeAnswer({ code, error });
  if (status === "delivered") return t("Delivered: the endpoint answered {last}.", { last });
  if (status === "failed") return t("Failed. {last}.", { last });
  if (attempts === 0) return t("About to be sent…");
  return (
    <>
      {t("{last}. Next attempt: ", { last })}
      <Due at={nextAttemptAt} />.
    </>
  );
}

/** How an endpoint stands: the reason why it is off, or the time since when it fails. */
export function EndpointState({ endpoint: { enabled, disabledBecause, failingSince } }: { endpoint: Endpoint }) {
  if (!enabled)
    return (
      <Status tone={disabledBecause === null ? "waiting" : "failed"}>
        {disabledBecause === null ? t("off") : disabledLabels[disabledBecause]}
      </Status>
    );
  if (failingSince === null) return <Status tone="delivered">{t("on")}</Status>;
  return (
    <Status tone="attention">
      {t("failing")} · <Moment at={failingSince} />
    </Status>
  );
}

/** The reasons for which the service itself switches an endpoint off. */
const disabledLabels: Record<NonNullable<Endpoint["disabledBecause"]>, string> = {
  gone: t("It answered 410: it no longer exists"),
  failing: t("No delivery succeeded for five days"),
};

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
