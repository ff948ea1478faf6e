import { Checkbox, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { t } from "../../language.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { DialogButtons } from "../../ui/base/dialogs.tsx";
import { doing, ticked, bound } from "../../ui/base/fields.ts";
import { Dimmed, FailureNotice } from "../../ui/base/page.tsx";
import { SiteSelect } from "../../ui/form/pickers.tsx";

const nowhere = { siteId: "", url: "", token: "", site: "", isElsewhere: false, prune: false };

const places = [
  ["url", t("Address of its dashboard"), { type: "url" }],
  ["token", t("Access token of an operator there"), { type: "password" }],
  ["site", t("Name or ID of the site"), {}],
] as const;

/** Copies a site's recipients and bindings to another site, here or at another installation, after showing what changes there. */
export function CopySetup({ siteId, onClose }: { siteId: string; onClose: () => void }) {
  const [chosen, setChosen] = useState(nowhere);
  const copy = trpc.setup.copy.useMutation();
  const plan = copy.data;
  const change = (changes: Partial<typeof nowhere>) => {
    setChosen({ ...chosen, ...changes });
    copy.reset();
  };
  const { siteId: target, isElsewhere, prune, ...place } = chosen;
  const isWhole = isElsewhere ? Object.values(place).every((text) => text.trim() !== "") : target !== "";
  const submit = () =>
    copy.mutate({ siteId, to: isElsewhere ? place : { siteId: target }, prune, apply: plan !== undefined, planned: plan?.planned });
  const isDone = plan !== undefined && (plan.applied || plan.changes.length === 0);
  return (
    <form onSubmit={doing(submit)}>
      <Stack>
        <Text>{t("Recipients and bindings are copied. The other site keeps its name, URL, mode, test phone, keys and endpoints.")}</Text>
        <Checkbox label={t("At another installation")} {...ticked(isElsewhere, (isOn) => change({ isElsewhere: isOn }))} />
        {isElsewhere ? (
          places.map(([name, label, kind]) => (
            <TextInput key={name} {...kind} label={label} {...bound(place[name], (text) => change({ [name]: text }))} />
          ))
        ) : (
          <SiteSelect data-autofocus value={target || null} onChange={(id) => change({ siteId: id ?? "" })} />
        )}
        <Checkbox label={t("Also remove what this site does not have")} {...ticked(prune, (isOn) => change({ prune: isOn }))} />
        <FailureNotice title={t("That did not work")} of={copy} />
        {plan !== undefined && <Plan plan={plan} />}
        <DialogButtons
          action={plan === undefined ? t("Show changes") : t("Copy set-up")}
          dismiss={isDone ? t("Close") : undefined}
          disabled={!isWhole || isDone}
          loading={copy.isPending}
          onClose={onClose}
        />
      </Stack>
    </form>
  );
}

const signs = { create: "+", change: "~", remove: "−" } as const;

const Plan = ({ plan: { applied, changes, besides, warnings } }: { plan: Outputs["setup"]["copy"] }) => (
  <Stack gap={4} role="status">
    <Text fw={600}>
      {changes.length === 0
        ? t("Nothing differs.")
        : applied
          ? t("{count, plural, one {# change} other {# changes}} made.", { count: changes.length })
          : t("{count, plural, one {# change} other {# changes}}:", { count: changes.length })}
    </Text>
    {changes.map(({ action, kind, name, members }, index) => (
      <Text key={index}>
        {signs[action]} {kinds[kind] ?? kind} <strong>{name}</strong>:{" "}
        {members.length === 0 ? reasons[action] : members.map(tellMember).join(", ")}
      </Text>
    ))}
    {warnings.map(({ binding, message }, index) => (
      <Text key={index} c="light-dark(var(--mantine-color-yellow-light-color), var(--mantine-color-yellow-4))">
        {binding}: {message}
      </Text>
    ))}
    {besides.length > 0 && (
      <Dimmed>
        {t("{count, plural, one {# more stays} other {# more stay}}: {names}", {
          count: besides.length,
          names: besides.map(({ name }) => name).join(", "),
        })}
      </Dimmed>
    )}
  </Stack>
);

const reasons = { create: t("is not there yet"), change: t("differs"), remove: t("is not at this site") } as const;

const kinds: Partial<Record<string, string>> = { template: t("Template"), recipient: t("Recipient"), binding: t("Binding") };

type Member = Outputs["setup"]["copy"]["changes"][number]["members"][number];

const tellMember = ({ member, before, after }: Member): string => `${member} ${shown(before)} → ${shown(after)}`;

const longest = 120;

function shown(value: unknown): string {
  const text = value == null ? t("None") : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
