import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { paths } from "../../../paths.ts";
import { trpc } from "../../../trpc.ts";
import type { Template } from "../template.ts";
import { type Refusal, refusalOf } from "./refusal.ts";
import type { TemplateValues } from "./template-values.ts";
import { toInput } from "./to-input.ts";

export type Goal = Refusal["asked"];

interface SavingOptions {
  /** What the server has of it already, if anything. */
  stored: Template | null;
  initial: TemplateValues;
  onRefused: (refusal: Refusal, values: TemplateValues) => void;
}

/** Keeps the editor's values on the server and, if that is the goal, submits them. A new template then has a page of its own, where a refused submission is told. */
export function useSaving({ stored, initial, onRefused }: SavingOptions) {
  const cache = trpc.useUtils();
  const navigate = useNavigate();
  const [create, update] = [trpc.templates.create.useMutation(), trpc.templates.update.useMutation()];
  const submit = trpc.templates.submit.useMutation();
  const [saved, setSaved] = useState(initial);
  const [running, setRunning] = useState<Goal | null>(null);
  const isLeaving = useRef(false);
  const isChanged = (values: TemplateValues) => asText(values) !== asText(saved);

  const keep = async (values: TemplateValues): Promise<string> => {
    const input = toInput(values, "given");
    if (stored === null) return (await create.mutateAsync(input)).template.id;
    if (isChanged(values)) await update.mutateAsync({ id: stored.id, ...input });
    setSaved(values);
    return stored.id;
  };
  const reach = async (values: TemplateValues, goal: Goal): Promise<void> => {
    const id = await keep(values).catch((error: unknown) => onRefused(refusalOf("save", error), values));
    if (id === undefined) return;
    const submitted = goal === "submit" ? submit.mutateAsync({ id }) : Promise.resolve();
    const refusal = await submitted.then(
      () => undefined,
      (error: unknown) => refusalOf("submit", error),
    );
    await cache.templates.invalidate();
    if (stored === null) {
      isLeaving.current = true;
      await navigate({ to: paths.template, params: { templateId: id }, replace: true, state: { refusal } });
    } else if (refusal !== undefined) onRefused(refusal, values);
  };
  return {
    running,
    isUnsaved: (values: TemplateValues) => !isLeaving.current && isChanged(values),
    run: (values: TemplateValues, goal: Goal) => {
      setRunning(goal);
      void reach(values, goal).finally(() => setRunning(null));
    },
  };
}

/** Fields that are not chosen have no say. */
const asText = (values: TemplateValues): string => JSON.stringify(toInput(values, "whole"));
