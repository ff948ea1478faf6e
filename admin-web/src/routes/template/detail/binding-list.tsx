import { List, Text } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { useSiteName } from "../../../pickers/use-site-name.ts";
import type { Outputs } from "../../../trpc.ts";
import { reasonWords } from "../../../ui/reason-words.ts";
import { TextLink } from "../../../ui/text-link.tsx";

/** Bindings by their event and site, each a way to its page. */
export function BindingList({ bindings }: { bindings: Outputs["bindings"]["list"]["items"] }) {
  const siteName = useSiteName();
  return (
    <List size="sm" spacing={4}>
      {bindings.map(({ id, siteId, event, enabled, problems }) => (
        <List.Item key={id}>
          <TextLink to={paths.binding} params={{ bindingId: id }} size="sm" style={{ overflowWrap: "anywhere" }}>
            {event} of {siteName(siteId)}
          </TextLink>
          {!enabled && ", switched off"}
          {problems.map((problem) => (
            <Text key={problem} size="sm" c="var(--mantine-color-error)">
              {reasonWords(problem)}
            </Text>
          ))}
        </List.Item>
      ))}
    </List>
  );
}
