import type { AuthenticEvent } from "gateway/ingest/authenticate";
import type { IdentifiedMessage, PlannedDelivery, PlannedEvent } from "gateway/ingest/plan";
import type { SiteConfig } from "gateway/sites/sites";
import type { PlannedMessage } from "shared/core/plan";
import { plainRows } from "shared/secrets/row-codec";

/** A site whose events are planned without a database. */
export const site = {
  id: "site",
  accountId: "account",
  config: "site 7 account 8",
  hasOptOuts: false,
  marketing: new Set(),
  rows: plainRows,
  cancelRules: new Map(),
  holdMessages: false,
} as unknown as SiteConfig;

export const messageOf = (position: number, failure: PlannedMessage["failure"] = null): IdentifiedMessage => ({
  id: `message-${position}`,
  position,
  message: {
    bindingId: "binding",
    templateId: "template-id",
    template: "template",
    language: "en_US",
    toPhone: `+1555000${position}`,
    components: "[]",
    failure,
    timing: null,
  },
  waits: false,
});

/** What is read of a request that asks for nothing special. */
export const ordinaryRequest = {
  source: "shop",
  topic: null,
  name: "order.created",
  payload: {},
  text: "{}",
  test: false,
  dryRun: false,
  queued: false,
  idempotencyKey: null,
  idUntil: null,
  isSignedId: false,
};

/** A planned event with this many messages, whose other values do not matter. */
export function planned(id: string, { messages: given, trace = null, outcome = null, ...more }: Given = {}, count = 0): PlannedEvent {
  const messages = given ?? Array.from({ length: count }, (_, n) => messageOf(n));
  const previews = [{ binding_id: "binding" }, { binding_id: "other" }];
  const plan = { skip: null, previews, traces: [], judged: [], messages: messages.map(({ message }) => message) };
  const event = { site, ...ordinaryRequest, ...more };
  const delivery = {
    id,
    name: event.name,
    test: event.test,
    site: event.site,
    messages,
    outcome,
    bindingsRun: previews.length,
    toShop: false,
  };
  return { event, plan: plan as unknown as PlannedEvent["plan"], trace, unreached: null, delivery };
}

export type Given = Partial<AuthenticEvent> & Partial<Pick<PlannedEvent, "trace"> & Pick<PlannedDelivery, "messages" | "outcome">>;
