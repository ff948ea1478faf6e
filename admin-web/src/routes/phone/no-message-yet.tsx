import { paths } from "../../paths.ts";
import { PhoneFrame } from "../../ui/message/phone-frame.tsx";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { TextLink } from "../../ui/text-link.tsx";

export function NoMessageYet() {
  return (
    <PhoneFrame title="Messages" newest={undefined}>
      <EmptyState title="No message yet">
        Every message that the sandbox delivers shows here at once. <TextLink to={paths.firstDay}>The first day</TextLink> leads from a site
        to the first one, step by step.
      </EmptyState>
    </PhoneFrame>
  );
}
