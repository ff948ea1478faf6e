import { FailureNotice } from "./failure-notice.tsx";

/** In place of a page that could not be loaded or drawn. Trying again loads it anew, so that a newer build of the dashboard is found too. */
export function PageFailure({ error }: { error: unknown }) {
  const shown = error instanceof Error ? error : { message: String(error) };
  return <FailureNotice title="Could not show this page" error={shown} onRetry={() => window.location.reload()} />;
}
