import { slotLabel } from "shared/core/binding";
import type { VarSpec } from "shared/core/variables";
import { useSiteName } from "../../pickers/use-site-name.ts";
import { trpc } from "../../trpc.ts";
import { Fact, Facts } from "../../ui/facts.tsx";
import { reasonWords } from "../../ui/reason-words.ts";
import { recipientWords } from "../../ui/recipient-words.ts";
import { templateSlots } from "./draft/template-slots.ts";
import { PreviewPanel } from "./preview/preview-panel.tsx";
import { useTrial } from "./preview/use-trial.ts";
import { SideBySide } from "./side-by-side.tsx";
import type { Binding } from "./use-binding-form.ts";

/** A binding for who may not change it. */
export function BindingSummary({ binding }: { binding: Binding }) {
  const template = trpc.templates.get.useQuery({ id: binding.templateId }).data?.template;
  const siteName = useSiteName();
  const trial = useTrial(binding, template);
  const slots = template === undefined ? [] : templateSlots(template);
  return (
    <SideBySide aside={<PreviewPanel template={template} trial={trial} />}>
      <Facts>
        <Fact name="Site">{siteName(binding.siteId)}</Fact>
        <Fact name="State">{binding.enabled ? "Switched on" : "Switched off"}</Fact>
        <Fact name="Recipient">{recipientWords(binding.recipient)}</Fact>
        {slots.map(({ key, group, index, name }) => (
          <Fact key={key} name={reasonWords(slotLabel(group, name))}>
            {specWords(binding.variableMap[group.mapKey]?.[String(index + 1)])}
          </Fact>
        ))}
        {binding.problems.map((problem) => (
          <Fact key={problem} name="Problem">
            {reasonWords(problem)}
          </Fact>
        ))}
      </Facts>
    </SideBySide>
  );
}

function specWords(spec: VarSpec | undefined): string {
  if (spec === undefined) return "Not filled";
  if (spec.source === "static") return `“${spec.value}”`;
  const from = spec.source === "field" ? spec.path : spec.expr;
  return spec.fallback === undefined ? from : `${from}, else “${spec.fallback}”`;
}
