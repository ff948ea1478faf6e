import { paths } from "../../../paths.ts";
import { EmptyState } from "../../../ui/states/empty-state.tsx";
import { TextLink } from "../../../ui/text-link.tsx";

/** `searched`: the phone that nothing was found for. */
export function NobodyOptedOut({ searched }: { searched: string | undefined }) {
  if (searched !== undefined) {
    return (
      <EmptyState title={`${searched} has not opted out`}>
        <TextLink to={paths.privacy} search={{}}>
          Show everybody
        </TextLink>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="Nobody has opted out">
      Whoever stops marketing in the app or blocks the business stands here from the platform&apos;s first word on. Subscribe the app to{" "}
      <code>user_preferences</code> so that it tells; the <TextLink to={paths.platform}>platform&apos;s page</TextLink> says how.
    </EmptyState>
  );
}
