import { Group, Stack, Text } from "@mantine/core";
import { formatParts } from "../../format.ts";
import { t } from "../../language.ts";
import { cache, trpcClient } from "../../trpc.ts";
import { AskButton } from "../base/dialogs.tsx";
import { Moment } from "../base/facts.tsx";
import { Dimmed, Section } from "../base/page.tsx";
import { useFirst } from "../table/data-table.tsx";
import type { ToldField } from "./conflict.tsx";
import labels from "./version-labels.json";

type Version = { version: number; at: string; by: string | null };

interface VersionsProps<V extends Version> {
  of: "bindings" | "templates";
  id: string;
  /** Newest first. */
  items: readonly V[] | undefined;
  /** The fields of a version in words. */
  tell: (version: V) => readonly ToldField[];
  mayRestore: boolean;
}

const fewVersions = 3;

/** What an object said before, each version with what it changed. Draws nothing while there is only one. */
export function Versions<V extends Version>({ of, id, items = [], tell, mayRestore }: VersionsProps<V>) {
  const restore = async (version: number) => {
    await trpcClient[of].restore.mutate({ id, version });
    await cache[of].invalidate();
    // The form begins anew with what is restored.
    await cache[of].get.reset({ id });
  };
  const { shown, button } = useFirst(items, fewVersions, "versions", t("Show all {count} versions", { count: items.length }));
  if (items.length < 2) return null;
  return (
    <Section title={t("Versions")}>
      <Stack component="ol" gap="sm">
        {shown.map((item, at) => (
          <Group component="li" key={item.version} justify="space-between" align="flex-start" wrap="nowrap" gap="sm">
            <Stack gap={4} miw={0}>
              <Text>
                {formatParts([t("Version {version}", { version: item.version }), item.by ?? ""])} · <Moment at={item.at} />
              </Text>
              <Differences before={items[at + 1] && tell(items[at + 1] as V)} after={tell(item)} />
            </Stack>
            {at > 0 && mayRestore && (
              <AskButton
                isMild
                size="xs"
                style={{ flex: "none" }}
                question={labels.restore}
                values={{ version: item.version }}
                onConfirm={() => restore(item.version)}
              >
                <Differences before={tell(items[0] as V)} after={tell(item)} />
              </AskButton>
            )}
          </Group>
        ))}
      </Stack>
      {button}
    </Section>
  );
}

/** What two versions say differently; without the former, nothing. */
function Differences({ before, after }: { before: readonly ToldField[] | undefined; after: readonly ToldField[] }) {
  if (before === undefined) return null;
  const [was, is] = [textsOf(before), textsOf(after)];
  const names = [...new Set([...is.keys(), ...was.keys()])].filter((name) => (was.get(name) ?? "") !== (is.get(name) ?? ""));
  return names.map((name) => (
    <Dimmed key={name} style={{ overflowWrap: "anywhere" }}>
      {name}: <del>{was.get(name)}</del> <ins>{is.get(name) || t("Nothing")}</ins>
    </Dimmed>
  ));
}

const textsOf = (fields: readonly ToldField[]) => new Map(fields.map(({ name, text }) => [name, text]));
