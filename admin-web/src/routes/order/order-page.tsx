import { useParams } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { Page } from "../../ui/page/page.tsx";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { Loading } from "../../ui/states/loading.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { OrderFacts } from "./order-facts.tsx";
import { OrderTimeline } from "./order-timeline.tsx";

const lookEveryMs = 3000;
const back = { to: paths.log, label: "Log" };

export function OrderPage() {
  const { orderId } = useParams({ from: `/signed-in${paths.order}` });
  const timeline = trpc.orders.timeline.useQuery(
    { id: orderId },
    { refetchInterval: ({ state }) => state.data !== undefined && lookEveryMs },
  );
  if (timeline.data === undefined) {
    if (timeline.error === null) return <Loading what="the order" />;
    if (timeline.error.data?.code === "NOT_FOUND" || timeline.error.data?.code === "BAD_REQUEST") return <NoSuchOrder />;
    return (
      <Page title="Order" back={back}>
        <FailureNotice title="Could not load the order" error={timeline.error} onRetry={() => void timeline.refetch()} />
      </Page>
    );
  }
  const { order, entries, truncated } = timeline.data;
  return (
    <Page
      title={`Order ${order.number ?? order.externalId ?? ""}`}
      back={back}
      lead="What your site told of it, what was sent, and what became of that."
    >
      {timeline.error !== null && <FailureNotice title="This may be out of date" error={timeline.error} />}
      <OrderFacts order={order} />
      <OrderTimeline entries={entries} truncated={truncated} />
    </Page>
  );
}

function NoSuchOrder() {
  return (
    <Page title="No such order" back={back}>
      <EmptyState title="No order has this id">
        An order is known by the events that name it; it is forgotten with them. Look for the customer&apos;s phone in the{" "}
        <TextLink to={paths.log}>log</TextLink>.
      </EmptyState>
    </Page>
  );
}
