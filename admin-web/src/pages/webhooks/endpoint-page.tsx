import { Card, Code, Group, NativeSelect, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Fragment, useState } from "react";
import { type WebhookType, webhookTypes } from "shared/core/webhook";
import { formatParts } from "../../format.ts";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { cache, settled, trpc, trpcClient } from "../../trpc.ts";
import { AskButton, ConfirmForm, DialogButton, manyThings } from "../../ui/base/dialogs.tsx";
import { Fact, Facts, Moment, TimeFact } from "../../ui/base/facts.tsx";
import { bound } from "../../ui/base/fields.ts";
import { part } from "../../ui/base/later.tsx";
import { MoreActions } from "../../ui/base/more-actions.tsx";
import { ObjectPage } from "../../ui/base/object-page.tsx";
import { Loading, rich } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { countOf } from "../../ui/list/count.ts";
import { openHere } from "../../ui/list/detail-drawer.tsx";
import { LinkFact, SiteFact } from "../../ui/operation/link-fact.tsx";
import { describeAnswer, type Endpoint, endpointName, EndpointState, formatMs, rate, webhookTypeLabels } from "../../ui/site/endpoints.tsx";
import asks from "./ask-labels.json";
import { DeliveryList, NothingTold, useDeliveryFilters } from "./webhooks-page.tsx";

const EndpointForm = part(async () => (await import("./endpoint-form.tsx")).EndpointForm);
const RetryDeliveries = part(async () => (await import("./retry-deliveries.tsx")).RetryDeliveries);

const lookEveryMs = 10_000;

const back = { to: paths.webhooks, search: { tab: "endpoints" as const } };

/** An address that is notified: how it stands, what is done with it, and what it was told. */
export function EndpointPage() {
  const { endpointId } = useParams({ from: `/signed-in${paths.endpoint}` });
  const mayChange = useMay("operator");
  const query = trpc.webhooks.list.useQuery({ limit: 200 }, { refetchInterval: lookEveryMs });
  const data = query.data?.items.find(({ id }) => id === endpointId);
  const error = query.data && data === undefined ? { message: "", data: { code: "NOT_FOUND" } } : query.error;
  return (
    <ObjectPage
      query={{ data, error, refetch: query.refetch }}
      {...{ kind: t("Endpoint"), what: t("the endpoint"), missing: t("Endpoint not found") }}
      back={{ ...back, label: t("Webhooks") }}
      head={(endpoint) => ({
        title: endpointName(endpoint),
        lead: <State endpoint={endpoint} />,
        actions: mayChange && <Actions endpoint={endpoint} />,
      })}
    >
      {(endpoint) => <Content endpoint={endpoint} mayChange={mayChange} />}
    </ObjectPage>
  );
}

/** Whether it is told, how well it answers, and while it fails the answer. */
function State({ endpoint }: { endpoint: Endpoint }) {
  const { id, enabled, failingSince, p95Ms } = endpoint;
  const arrived = rate(endpoint);
  const last = trpc.webhookDeliveries.list.useQuery({ webhookId: id, limit: 10 }, { refetchInterval: lookEveryMs }).data?.items;
  const failed = failingSince !== null && enabled && last?.find(({ status, attempts }) => attempts > 0 && status !== "delivered");
  const told = [
    arrived !== null && t("delivered {rate}", { rate: arrived }),
    p95Ms !== null && t("p95 {duration}", { duration: formatMs(p95Ms) }),
    last?.[0] &&
      rich(last[0].attempts > 0 ? t("last delivery <0/>") : t("last delivery <0/>, not tried"), <Moment at={last[0].createdAt} />),
  ];
  return (
    <Text span fz={13} role="status">
      <EndpointState endpoint={endpoint} />
      {failed && `: ${describeAnswer({ code: failed.lastStatusCode, error: failed.lastError })}`}
      {told.filter(Boolean).map((part, index) => (
        <Fragment key={index}>
          {t(", ")}
          {part}
        </Fragment>
      ))}
    </Text>
  );
}

function Actions({ endpoint }: { endpoint: Endpoint }) {
  const turn = (enabled: boolean) => settled(trpcClient.webhooks.update.mutate({ id: endpoint.id, enabled }), cache.webhooks.list);
  return (
    <Group gap="sm">
      {endpoint.enabled ? (
        <TestButton endpoint={endpoint} />
      ) : (
        <AskButton variant="filled" size="sm" question={asks.switchOn} isMild onConfirm={() => turn(true)} />
      )}
      <DialogButton label={t("Edit")} title={t("Edit endpoint")}>
        {(close) => <EndpointForm endpoint={endpoint} onClose={close} />}
      </DialogButton>
      <MoreActions>
        {endpoint.enabled && (
          <DialogButton label={t("Retry deliveries")} title={t("Retry deliveries")}>
            {(close) => <RetryDeliveries endpoints={[endpoint]} filters={{ webhookId: endpoint.id }} narrowed={[]} onClose={close} />}
          </DialogButton>
        )}
        {endpoint.enabled && (
          <AskButton question={asks.switchOff} onConfirm={() => turn(false)}>
            <GivenUp {...endpoint} />
          </AskButton>
        )}
        <DialogButton label={t("Delete endpoint")} title={t("Delete this endpoint?")}>
          {(close) => <DeleteEndpoint endpoint={endpoint} onClose={close} />}
        </DialogButton>
      </MoreActions>
    </Group>
  );
}

/** How many deliveries it gives up. */
function GivenUp({ id }: Endpoint) {
  const { total: count = 0, more } = useQuery(countOf("webhookDeliveries.count", { webhookId: id, status: "pending" })).data ?? {};
  const text = t("{count, plural, =0 {} one {# waiting delivery is given up.} other {#{more} waiting deliveries are given up.}}", {
    count,
    more: more === true && "+",
  });
  return <Text>{text}</Text>;
}

const typeChoices = webhookTypes.map((value) => ({ value, label: formatParts([value, webhookTypeLabels[value]], ": ") }));

/** Posts an example to an endpoint; what became of it opens beside the list. */
function TestButton({ endpoint: { id, url, types } }: { endpoint: Endpoint }) {
  const [type, setType] = useState<WebhookType>(types[0] ?? "message.sent");
  const navigate = useNavigate();
  const send = async () => navigate(openHere((await trpcClient.webhooks.test.mutate({ id, type })).delivery.id));
  return (
    <AskButton size="sm" question={asks.test} values={{ url }} isMild onConfirm={send}>
      <NativeSelect label={t("Type")} data={typeChoices} {...bound(type, (text) => setType(text as WebhookType))} data-autofocus />
    </AskButton>
  );
}

function Content({ endpoint, mayChange }: { endpoint: Endpoint; mayChange: boolean }) {
  const { siteId, types, createdAt, enabled } = endpoint;
  const search = useSearch({ from: `/signed-in${paths.endpoint}` });
  return (
    <>
      <Card>
        <Facts>
          <SiteFact siteId={siteId} />
          <Fact name={t("Event types")}>{types.join(", ")}</Fact>
          <LinkFact name={t("Signed with")} {...pages.site(siteId, "webhooks")}>
            {t("The endpoint secret of the site")}
          </LinkFact>
          <TimeFact name={t("Added")} at={createdAt} />
        </Facts>
      </Card>
      <DeliveryList
        search={search}
        chips={useDeliveryFilters(null, search)}
        endpoints={[endpoint]}
        of={endpoint}
        empty={<NothingTold action={mayChange && enabled && <TestButton endpoint={endpoint} />} />}
      />
    </>
  );
}

/** Counts the deliveries that go with the endpoint, and leads to the others. */
function DeleteEndpoint({ endpoint: { id, url }, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const navigate = useNavigate();
  const remove = async () => {
    await trpcClient.webhooks.delete.mutate({ id });
    await navigate(back);
    await cache.webhooks.list.invalidate();
  };
  const counted = useQuery(countOf("webhookDeliveries.count", { webhookId: id })).data;
  const count = counted?.total ?? 0;
  return (
    <ConfirmForm
      action={t("Delete endpoint")}
      typed={count > manyThings ? String(count) : undefined}
      isCounting={counted === undefined}
      onClose={onClose}
      onConfirm={remove}
    >
      {counted === undefined ? (
        <Loading what={t("the count")} />
      ) : (
        rich(
          t(
            "<0>{url}</0> gets no more requests, and its {count, plural, one {# delivery is} other {#{more} deliveries are}} deleted. To pause it, switch it off instead.",
            { url, count, more: counted.more && "+" },
          ),
          <Code />,
        )
      )}
    </ConfirmForm>
  );
}
