import { Alert, Box, Checkbox, List, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Said } from "shared/core/wording";
import { formatCount } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { pages } from "../../paths.ts";
import { cache, type Inputs, type Outputs, settled, trpc, trpcClient } from "../../trpc.ts";
import { SmallButton, TextLink } from "../../ui/base/buttons.tsx";
import { AskButton } from "../../ui/base/dialogs.tsx";
import { ticked, running } from "../../ui/base/fields.ts";
import { FailureNotice, rich } from "../../ui/base/page.tsx";
import { Sentences } from "../../ui/base/sentences.tsx";
import { useSiteName } from "../../ui/base/site-names.tsx";
import { Told } from "../../ui/base/told.tsx";
import { SiteSelect, TemplateSelect } from "../../ui/form/pickers.tsx";
import { type Selection, SelectionBar, type SelectionBarProps } from "../../ui/table/selection.tsx";
import asks from "./ask-labels.json";
import labels from "./done-labels.json";

type ListedBinding = Outputs["bindings"]["list"]["items"][number];

type Action = "enable" | "disable" | "delete" | "move" | "copy" | "setTemplate";

const done: Record<Action, string> = labels;

type Change<Many = Inputs["bindings"]["changeMany"]> = Many extends unknown ? Omit<Many, "ids"> : never;

interface Outcome {
  action: Action;
  changed: number;
  refused: { binding: ListedBinding; why: string; said: Said | null; equalId: string | null }[];
}

/** Changes several bindings, and gives the reason for each that stays unchanged. */
export function SelectedBindings({ selection, all }: Pick<SelectionBarProps, "all"> & { selection: Selection<ListedBinding> }) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const { rows, ids } = selection;
  const run = async (change: Change) => {
    setOutcome(null);
    const { results } = await settled(trpcClient.bindings.changeMany.mutate({ ...change, ids }), cache.bindings);
    const refused = results.flatMap(({ id, refused: why, said, equalId }) => {
      const binding = rows.find((row) => row.id === id);
      return binding === undefined || why === null ? [] : [{ binding, why, said, equalId }];
    });
    setOutcome({ action: change.action, changed: results.filter(({ refused: why }) => why === null).length, refused });
    selection.choose(refused.map(({ binding }) => binding));
  };
  const turn = useMutation({ mutationFn: (action: "enable" | "disable") => run({ action }) });
  return (
    <>
      <FailureNotice title={t("The bindings were not changed")} of={turn} />
      <SelectionBar
        selection={selection}
        what="binding"
        all={all}
        notice={<OutcomeNotice outcome={outcome} onClose={() => setOutcome(null)} />}
      >
        <SmallButton {...running(turn, "enable")}>{t("Switch on")}</SmallButton>
        <SmallButton {...running(turn, "disable")}>{t("Switch off")}</SmallButton>
        <ToSiteButton action="copy" rows={rows} run={run} />
        <ToSiteButton action="move" rows={rows} run={run} />
        <TemplateButton rows={rows} run={run} />
        <DeleteButton rows={rows} run={run} />
      </SelectionBar>
    </>
  );
}

function DeleteButton({ rows, run }: AskProps) {
  const what = t("{count, plural, one {# binding} other {# bindings}}", { count: rows.length });
  return <AskButton question={asks.delete} values={{ what }} onConfirm={() => run({ action: "delete" })} />;
}

function OutcomeNotice({ outcome, onClose }: { outcome: Outcome | null; onClose: () => void }) {
  const siteName = useSiteName();
  return (
    <div role="status">
      {outcome !== null && (
        // Many reasons scroll, so that the bar stays low.
        <Box mah="40vh" mb="xs" bdrs="var(--mantine-radius-default)" bg="var(--mantine-color-body)" style={{ overflow: "auto" }}>
          <Alert
            color={outcome.refused.length > 0 ? "yellow" : "teal"}
            title={translated(done[outcome.action], { count: outcome.changed })}
            withCloseButton
            closeButtonLabel={t("Dismiss")}
            onClose={onClose}
          >
            {outcome.refused.length > 0 && (
              <Stack gap={4}>
                <Text>
                  {t(
                    "{count, plural, one {# stays as it was and is still selected:} other {# stay as they were and are still selected:}}",
                    { count: outcome.refused.length },
                  )}
                </Text>
                <List>
                  {outcome.refused.map(({ binding, why, said, equalId }) => (
                    <List.Item key={binding.id}>
                      <TextLink {...pages.binding(binding.id)}>
                        {binding.event} → {binding.template}, {siteName(binding.siteId)}
                      </TextLink>
                      : <Why why={why} said={said} equalId={equalId} />
                    </List.Item>
                  ))}
                </List>
              </Stack>
            )}
          </Alert>
        </Box>
      )}
    </div>
  );
}

function Why({ why, said, equalId }: { why: string; said: Said | null; equalId: string | null }) {
  if (equalId === null)
    return (
      <>
        <Told text={why} said={said} />.
      </>
    );
  return rich(t("the site has <0>an equal binding</0>, so each message would be sent twice."), <TextLink {...pages.binding(equalId)} />);
}

type AskProps = { rows: ListedBinding[]; run: (change: Change) => Promise<void> };

function ToSiteButton({ action, rows, run }: AskProps & { action: "move" | "copy" }) {
  const [siteId, setSiteId] = useState<string | null>(null);
  const [isOn, setOn] = useState(false);
  const what = t("{count, plural, one {# binding} other {# bindings}}", { count: rows.length });
  return (
    <AskButton
      question={asks[action]}
      values={{ what }}
      isMild
      isAllowed={siteId !== null}
      onConfirm={() => run({ action, siteId: siteId ?? "", ...(action === "copy" && !isOn && { enabled: false }) })}
    >
      <SiteSelect label={t("To site")} placeholder={t("Choose a site")} value={siteId} onChange={setSiteId} />
      {action === "copy" && (
        <Checkbox
          label={t("Switch on the copies of bindings that are on at once")}
          description={t("Otherwise all copies are off until you switch them on.")}
          {...ticked(isOn, setOn)}
        />
      )}
      <Recipients rows={rows} siteId={siteId} />
    </AskButton>
  );
}

/** The recipients of the messages there, if they depend on the site. */
function Recipients({ rows, siteId }: { rows: ListedBinding[]; siteId: string | null }) {
  const siteName = useSiteName();
  const count = (strategy: ListedBinding["recipient"]["strategy"]) =>
    rows.filter(({ recipient }) => recipient.strategy === strategy).length;
  const [toSite, toTest, toFixed] = [count("site_recipients"), count("test"), count("static_phone")];
  const recipients = trpc.recipients.list.useQuery({ siteId: siteId ?? "", limit: 200 }, { enabled: siteId !== null && toSite > 0 });
  const site = trpc.sites.get.useQuery({ id: siteId ?? "" }, { enabled: siteId !== null && toTest > 0 });
  const there = siteId === null ? t("the other site") : siteName(siteId);
  const active = recipients.data?.items.filter((recipient) => recipient.active).length;
  const lines = [
    toSite > 0 &&
      t("{toSite, plural, one {# binding} other {# bindings}} to the site's recipients: there, to those of {there}{value}.", {
        toSite,
        there,
        value: active === undefined ? "" : active === 0 ? t(", which has none yet") : ` (${formatCount(active)})`,
      }),
    toTest > 0 &&
      t("{toTest, plural, one {# binding} other {# bindings}} to the test phone: there, to that of {there}{value}.", {
        toTest,
        there,
        value: site.data !== undefined && site.data.site.testPhone === null ? t(", which has none yet") : "",
      }),
    toFixed > 0 && t("{toFixed, plural, one {# binding} other {# bindings}} to one fixed phone, which stays.", { toFixed }),
  ].filter((line) => line !== false);
  return lines.length > 0 && <Sentences aria-label={t("Recipients")} of={lines} />;
}

function TemplateButton({ rows, run }: AskProps) {
  const [templateId, setTemplateId] = useState<string | null>(null);
  return (
    <AskButton
      question={asks.setTemplate}
      values={{ count: rows.length }}
      isMild
      isAllowed={templateId !== null}
      onConfirm={() => run({ action: "setTemplate", templateId: templateId ?? "" })}
    >
      <TemplateSelect value={templateId} onChange={setTemplateId} />
    </AskButton>
  );
}
