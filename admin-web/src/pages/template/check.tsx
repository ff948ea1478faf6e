import { Button, Card, Group, List, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { describeClause, type Reason } from "shared/core/reason";
import { findProblems } from "shared/core/template/advice";
import type { Mend, MendableProblem } from "shared/core/template/mend";
import { t, translated } from "../../language.ts";
import { SecondaryButton, SmallButton } from "../../ui/base/buttons.tsx";
import { fieldName, patchValues, type TemplateValues, toUnchecked } from "./draft.ts";
import type { TemplateForm } from "./use-editing.ts";
import classes from "./template.module.css";

/**
 * The problems for which WhatsApp rejects the template, or may, shown while it is typed, each with a correction. `isKnown`: the platform has the template,
 * so name and language are fixed.
 */
export function TemplateCheck({ form, isKnown }: { form: TemplateForm; isKnown: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const [before, setBefore] = useState<TemplateValues[]>([]);
  const values = useDeferredValue(form.values);
  const input = toUnchecked(values, "whole");
  // Corrections come with the first look at the findings.
  const { data: mends } = useQuery({
    queryKey: ["mends"],
    queryFn: () => import("shared/core/template/mend"),
    enabled: isOpen,
    staleTime: Infinity,
  });
  const problems = (mends?.checkAndMend(input) ?? findProblems(input).map((problem) => ({ ...problem, mend: null })))
    .filter(isTold)
    .map((problem) => (isKnown && isFixed(problem.mend) ? { ...problem, mend: null } : problem));
  const apply = (patch: Mend["patch"]) => {
    setBefore([...before, form.values]);
    form.change(patchValues(form.values, toUnchecked(form.values, "whole"), patch));
  };
  const undo = () => {
    const last = before.at(-1);
    if (last !== undefined) form.change(last);
    setBefore(before.slice(0, -1));
  };
  const mendEach = ({ mendAll }: NonNullable<typeof mends>) => {
    const { name, language } = input;
    const mended = mendAll(input);
    apply(isKnown ? { ...mended, name, language } : mended);
  };
  return (
    <Stack gap="xs" component="section" aria-label={t("Check")}>
      <Group gap="xs">
        <SmallButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {problems.length === 0
            ? t("Check: nothing to fix")
            : t("Check: {count, plural, one {# finding} other {# findings}}", { count: problems.length })}
        </SmallButton>
        {isOpen && mends !== undefined && problems.some(({ mend }) => mend !== null) && (
          <Button size="compact-sm" onClick={() => mendEach(mends)}>
            {t("Fix all")}
          </Button>
        )}
        {before.length > 0 && <SmallButton onClick={undo}>{t("Undo")}</SmallButton>}
      </Group>
      {isOpen && problems.length > 0 && (
        <Card padding="sm">
          <Stack component="ul" gap={0} aria-label={t("Findings")}>
            {problems.map((problem) => (
              <Problem key={`${problem.field} ${problem.reason.code}`} problem={problem} onMend={apply} />
            ))}
          </Stack>
        </Card>
      )}
    </Stack>
  );
}

/** Leaves out fields that are only not filled in yet: they show that themselves. */
const isTold = ({ field, reason }: MendableProblem): boolean => reason.code !== "empty" || field.startsWith("examples.");

const isFixed = (mend: Mend | null): boolean => mend !== null && ("name" in mend.patch || "language" in mend.patch);

function Problem({ problem, onMend }: { problem: MendableProblem; onMend: (patch: Mend["patch"]) => void }) {
  const { level, field, reason, mend } = problem;
  const clause = describeClause(reason, t);
  return (
    <li className={classes["problem"]}>
      <Text c={level === "error" ? "var(--mantine-color-error)" : "inherit"}>
        {namesItsField.has(reason.code) ? clause : `${fieldName(field)} ${clause}`}
      </Text>
      {mend !== null && (
        <>
          <List size="xs" listStyleType="none">
            {mend.changes.slice(0, mostChanges).map(({ field: changed, before, after }) => (
              <List.Item key={changed}>
                {before !== null && <del>{before}</del>} {after !== null && <ins>{after}</ins>}
              </List.Item>
            ))}
          </List>
          <SecondaryButton size="compact-xs" onClick={() => onMend(mend.patch)}>
            {translated(mend.label)}
          </SecondaryButton>
        </>
      )}
    </li>
  );
}

const mostChanges = 6;

const namesItsField: ReadonlySet<Reason["code"]> = new Set(["punctuation_behind_variable", "buttons_folded", "buttons_not_on_desktop"]);
