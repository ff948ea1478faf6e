import { CardPage } from "./card-page.tsx";
import { FailureNotice } from "./failure-notice.tsx";

/** In place of a page that could not be loaded or drawn. */
export function PageFailure({ error }: { error: unknown }) {
  const shown = error instanceof Error ? error : { message: String(error) };
  return (
    <CardPage title="Something broke">
      <FailureNotice title="This page could not be shown" error={shown} onRetry={() => window.location.reload()} />
    </CardPage>
  );
}
