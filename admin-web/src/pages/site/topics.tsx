import { Card, Stack, Text, TextInput } from "@mantine/core";
import { updateSiteInput } from "shared/core/input/sites";
import { eventOfTopic, sources } from "shared/core/sources/sources";
import { trpc } from "../../trpc.ts";
import { Moment } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { type Site, type Topic, useKeepSite } from "./use-site.ts";
import classes from "./site.module.css";

/** Which event each topic of the shop means: those that mean one by themselves, those that have arrived, and the operator's own. */
export function TopicsForm({ site, topics }: { site: Site; topics: Topic[] }) {
  const source = sources[site.sourceType];
  const seen = new Map(topics.map(({ topic, lastSeenAt }) => [topic, lastSeenAt]));
  const names = [...new Set([...(source.events?.keys() ?? []), ...Object.keys(site.topicMap), ...seen.keys()])].filter(
    (name) => !source.privacyTopics.has(name),
  );
  const usual = (name: string): string => eventOfTopic(source, {}, name) ?? "";
  const update = trpc.sites.update.useMutation({ onSuccess: useKeepSite() });
  const form = useInputForm({
    initialValues: { events: names.map((name) => eventOfTopic(source, site.topicMap, name) ?? "") },
    toInput: ({ events }) => ({
      id: site.id,
      topics: Object.fromEntries(
        names.flatMap((name, index) => {
          const event = (events[index] ?? "").trim();
          return event === usual(name) ? [] : [[name, event === "" ? null : event]];
        }),
      ),
    }),
    check: (input) => by(updateSiteInput)(input).map((issue) => atRow(issue, names)),
    submit: update.mutateAsync,
    members: ["events"],
  });
  if (names.length === 0) return null;
  return (
    <Card withBorder mt="md">
      <InputForm form={form} label="Topics" failure="The topics were not saved">
        <Text fw={600}>Topics and their events</Text>
        <Text size="sm">The event that each topic means here; bindings are made for events. Empty: the topic is ignored.</Text>
        <Stack gap="sm">
          {names.map((name, index) => (
            <div key={name} className={classes["topic"]}>
              <TextInput label={name} placeholder="Ignored" autoComplete="off" spellCheck={false} {...form.at(`events.${index}`)} />
              <Text size="sm" c="dimmed">
                {seen.has(name) ? (
                  <>
                    Last seen <Moment at={seen.get(name) ?? ""} />
                  </>
                ) : (
                  "Not seen yet"
                )}
              </Text>
            </div>
          ))}
        </Stack>
        <FormButtons form={form} submit="Save topics" saved="Saved" />
      </InputForm>
    </Card>
  );
}

/** A fault of `topics.orders/paid` shows at that topic's field. */
function atRow<Issue extends { path: PropertyKey[] }>(issue: Issue, names: readonly string[]): Issue {
  const [member, name] = issue.path;
  const row = member === "topics" ? names.indexOf(String(name)) : -1;
  return row === -1 ? issue : { ...issue, path: ["events", row] };
}
