import { CardPage } from "../page/card-page.tsx";
import { PageFailure } from "./page-failure.tsx";

/** In place of everything, when not even the frame around the pages could be shown. */
export function CardFailure({ error }: { error: unknown }) {
  return (
    <CardPage title="Something broke">
      <PageFailure error={error} />
    </CardPage>
  );
}
