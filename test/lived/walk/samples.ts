import type { LivedWorld } from "../world.ts";

/** Values that occur in an account, by the names of the members of inputs. */
export type Samples = Readonly<Record<string, readonly unknown[]>>;

type Row = Record<string, string | null>;

/** Takes from an account's rows, as its owner reads them, what they can be asked for. */
export async function samplesOf(world: LivedWorld, accountId: string): Promise<Samples> {
  const call = async (path: string, input: object = {}) => (await world.call(path, input, { accountId })) as Record<string, unknown>;
  const first = async (path: string, input: object = {}): Promise<Row> => {
    const [item] = (await call(path, { limit: 1, ...input }))["items"] as Row[];
    if (item === undefined) throw new Error(`${path} ${JSON.stringify(input)} finds nothing of ${accountId}`);
    return item;
  };
  const [siteId] = world.sites.filter((site) => site.accountId === accountId).map(({ id }) => id);
  const read = await first("notifications.list", { status: "read", siteId, event: "order.created", test: false });
  const failed = await first("notifications.list", { status: "failed", siteId });
  const waiting = await first("notifications.scheduled").catch(() => null);
  const { event: sent } = (await call("events.get", { id: read["eventId"] })) as { event: Row };
  const event = await first("events.list", { orderId: sent["orderId"] });
  const binding = await first("bindings.list", { siteId, event: "order.created" });
  const delivery = await first("webhookDeliveries.list", { status: "delivered" });
  const operation = await first("operations.list").catch(() => null);
  const unreached = await first("problems.list", { kind: "nobody_reached" }).catch(() => null);
  const problem = await first("problems.list", { state: "open" });
  const ids = [event["orderNumber"], read["toPhone"], read["waMessageId"], read["id"], read["eventId"]];
  const digits = String(read["toPhone"]).slice(-7);
  return {
    siteId: [siteId],
    eventId: [read["eventId"]],
    notificationId: [read["id"]],
    failedId: [failed["id"]],
    ...(waiting !== null && { waitingId: [waiting["id"]] }),
    orderId: [event["orderId"]],
    bindingId: [binding["id"]],
    templateId: [binding["templateId"]],
    webhookId: [delivery["webhookId"]],
    endpointId: [delivery["webhookId"]],
    deliveryId: [delivery["id"]],
    operationId: [operation?.["id"] ?? read["id"]],
    problemId: [problem["id"]],
    ids: [[binding["templateId"]]],
    event: ["order.created"],
    template: ["order_confirmed"],
    phone: [read["toPhone"]],
    errorCode: ["131026"],
    errorCodes: [["131026"]],
    waMessageId: [read["waMessageId"]],
    reference: [event["orderNumber"]],
    orderNumber: [event["orderNumber"]],
    search: [...ids, digits, "customer", "ada order", "@example.com", "äöü %_"],
    unreached: ["any", ...(unreached === null ? [] : [unreached["subject"]])],
    field: ["customer.first_name"],
    actor: [world.accounts.find(({ id }) => id === accountId)?.owner.email],
    action: ["settings.update"],
    orKinds: [["resend", "cancel"]],
    from: [day(-30), day(-8), new Date(Date.now() - 3_600_000).toISOString()],
    to: [day(-1), new Date().toISOString()],
    since: [day(-10)],
    failedFrom: [day(-8)],
    source: ["AUTO_GENERATED"],
  };
}

/** A day so many days from today, as an input has it. */
export const day = (ahead: number): string => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);

/** An input with a sample in place of each name in angle brackets. */
export const fill = (input: object, samples: Samples): object =>
  JSON.parse(JSON.stringify(input).replaceAll(/<(\w+)>/gu, (_, name: string) => String(samples[name]?.[0]))) as object;
