import { Text } from "@mantine/core";
import type { DeliveryStatus, WebhookType } from "shared/core/webhook";
import { formatDuration } from "../format.ts";
import type { Outputs } from "../trpc.ts";
import { Due, Moment } from "./facts.tsx";
import { LabelBadge } from "./status-badge.tsx";

export type Endpoint = Outputs["webhooks"]["list"]["items"][number];
type Delivery = Outputs["webhookDeliveries"]["list"]["items"][number];

/** What an endpoint may be told, in plain words. */
export const webhookTypeLabels: Record<WebhookType, string> = {
  "message.sent": "WhatsApp accepted a message",
  "message.delivered": "A message is on the recipient's phone",
  "message.read": "The recipient opened a message",
  "message.failed": "A message could not be sent or delivered",
  "message.received": "Somebody wrote to your number",
  "customer.opted_out": "A customer wants no more messages",
  "customer.opted_in": "A customer wants messages again",
};

const deliveryColors: Record<DeliveryStatus, string> = { pending: "gray", delivered: "teal", failed: "red" };

/** A delivery that has failed and is tried again says so. */
export function DeliveryBadge({ status, attempts }: Pick<Delivery, "status" | "attempts">) {
  if (status === "pending" && attempts > 0) return <LabelBadge color="yellow">pending, failed so far</LabelBadge>;
  return <LabelBadge color={deliveryColors[status]}>{status}</LabelBadge>;
}

const outcomes: Partial<Record<string, string>> = {
  refused: "not a success (200 to 299)",
  redirect: "a redirect, which is not followed: enter the address that it leads to",
  timeout: "No whole answer within 15 seconds",
  unreachable: "No connection",
  unknown_host: "The host is not known",
  bad_certificate: "The certificate is not valid",
  address_private: "The address is not of the internet: see WEBHOOK_ALLOW_PRIVATE",
  not_encrypted: "The address begins with http: use https",
  no_secret: "The secret cannot be read: rotate it",
  unreadable: "What it told is no longer kept",
  disabled: "The endpoint was off",
  restored: "It waited when a backup was made that was restored",
};

/** What came of an attempt: the answer's code, or why there is none. */
export function describeAnswer({ code, error }: { code: number | null; error: string | null }): string {
  const reason = error === null ? null : (outcomes[error] ?? error);
  return [code, reason].filter((part) => part !== null).join(": ");
}

/** A sentence on where a delivery stands. */
export function DeliveryOutcome({ delivery }: { delivery: Delivery }) {
  const { status, attempts, nextAttemptAt, lastStatusCode: code, lastError: error } = delivery;
  const last = describeAnswer({ code, error });
  if (status === "delivered") return `Delivered: the endpoint answered ${last}.`;
  if (status === "failed") return `Failed. ${last}.`;
  if (attempts === 0) return "Is about to be sent…";
  return (
    <>
      {last}. Next attempt: <Due at={nextAttemptAt} />.
    </>
  );
}

/** Why an endpoint is off, or since when it fails. */
export function EndpointState({ endpoint: { enabled, disabledBecause, failingSince } }: { endpoint: Endpoint }) {
  if (!enabled && disabledBecause === null) return <LabelBadge>off</LabelBadge>;
  if (enabled && failingSince === null) return <LabelBadge color="teal">on</LabelBadge>;
  return (
    <div>
      <LabelBadge color={enabled ? "yellow" : "red"}>{enabled ? "failing" : "switched off"}</LabelBadge>
      <Text size="sm">
        {disabledBecause !== null && disabledWords[disabledBecause]}
        {enabled && failingSince !== null && (
          <>
            Since <Moment at={failingSince} />
          </>
        )}
      </Text>
    </div>
  );
}

/** Why the service itself has switched an endpoint off. */
export const disabledWords: Record<NonNullable<Endpoint["disabledBecause"]>, string> = {
  gone: "It answered 410: it is gone for good",
  failing: "Nothing arrived for five days",
};

/** How long an attempt took. */
export const formatMs = (ms: number): string => (ms < 1000 ? `${ms} ms` : formatDuration(ms / 1000));
