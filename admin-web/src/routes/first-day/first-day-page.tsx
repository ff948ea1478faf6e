import { Page } from "../../ui/page/page.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { ListSkeleton } from "../../ui/states/list-skeleton.tsx";
import { FirstDay } from "./first-day.tsx";
import { useFacts } from "./use-facts.ts";

export function FirstDayPage() {
  const { facts, error, retry } = useFacts();
  return (
    <Page title="Your first day" lead="Five steps from here to the first message on a phone. Each ticks itself off.">
      {error !== null && <FailureNotice title="Could not see how far you are" error={error} onRetry={retry} />}
      {facts !== undefined ? <FirstDay facts={facts} /> : error === null && <ListSkeleton what="how far you are" />}
    </Page>
  );
}
