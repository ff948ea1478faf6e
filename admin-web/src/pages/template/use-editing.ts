import { useIsMutating } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { pages } from "../../paths.ts";
import { cache, trpc } from "../../trpc.ts";
import { useInputForm } from "../../ui/form/input-form.tsx";
import { type Issue, type Refusal, refusalOf } from "../../ui/form/input-issues.ts";
import { draftFaults, submissionIssues, tellTemplate, type Template, type TemplateValues, toUnchecked, valuesOf } from "./draft.ts";

interface EditingOptions {
  /** The template on the server, if there is one. */
  stored: Template | undefined;
  initial: TemplateValues;
  /** The refusal of a submission on the page before. */
  refusal: Refusal | undefined;
}

type Goal = "save" | "submit";

export type Editing = ReturnType<typeof useEditing>;

export type TemplateForm = Editing["form"];

/** Whether a header's file is on its way: what is saved meanwhile would go without it. */
export const useUploading = (): boolean => useIsMutating({ mutationKey: ["upload"] }) > 0;

/** A template's fields, and the two ways to send them: saved as a draft, or saved and submitted. */
export function useEditing({ stored, initial, refusal: arrived }: EditingOptions) {
  const [goal, setGoal] = useState<Goal>("submit");
  /** How far the last attempt got. */
  const [stage, setStage] = useState<Goal>(arrived === undefined ? "save" : "submit");
  const [blocking, setBlocking] = useState<readonly Issue[]>([]);
  const store = useStore(stored);
  const navigate = useNavigate();
  const create = trpc.templates.create.useMutation({ onSuccess: () => cache.templates.invalidate() });
  const form = useInputForm({
    initialValues: initial,
    toInput: (values) => toUnchecked(values, "given"),
    check: (_, values) => submissionIssues(values),
    members,
    checksOnLeave: true,
    refusal: arrived,
    submit: (input) => reach(input, "save"),
    again: {
      what: "template",
      create: async (input) => {
        const { template } = await create.mutateAsync(input);
        form.markSaved();
        await navigate({ ...pages.template(template.id), replace: true });
        return template;
      },
    },
    versioned: stored && { updatedAt: stored.updatedAt, fill: fieldsIn, tell: tellTemplate },
  });
  const reach = async (input: ReturnType<typeof toUnchecked>, wanted: Goal): Promise<Template | null> => {
    const saved = stored === undefined || form.isUnsaved() ? await store.save(input) : null;
    form.markSaved();
    setStage("submit");
    await store.finish((saved ?? stored)?.id ?? "", wanted);
    return saved;
  };
  const attempt = (wanted: Goal) => {
    if (form.isSaving) return;
    const inDraft = draftFaults(form.values);
    const issues = wanted === "submit" ? form.issues : form.issues.filter(({ path }) => inDraft.has(path.join(".")));
    setGoal(wanted);
    setStage("save");
    setBlocking(issues);
    void form.send((input) => reach(input, wanted), issues);
  };
  return { form, stage, blocking, goal, running: form.isSaving ? goal : null, isUploading: useUploading(), attempt };
}

/** The fields of a template that can still be changed. */
const fieldsIn = (template: Template) => (template.status === "draft" || template.status === "rejected" ? valuesOf(template) : null);

const members = ["name", "language", "category", "header", "body", "footer", "buttons", "examples", "ttlSeconds", "authentication"];

/** Saving and submitting on the server. A new template moves to its own page, which then shows a refused submission. */
function useStore(stored: Template | undefined) {
  const navigate = useNavigate();
  const [create, update] = [trpc.templates.create.useMutation(), trpc.templates.update.useMutation()];
  const submit = trpc.templates.submit.useMutation();
  return {
    save: async (input: ReturnType<typeof toUnchecked>): Promise<Template> => {
      const saved = stored === undefined ? await create.mutateAsync(input) : await update.mutateAsync({ id: stored.id, ...input });
      return saved.template;
    },
    finish: async (id: string, goal: Goal): Promise<void> => {
      const submitted = goal === "submit" ? submit.mutateAsync({ id }) : Promise.resolve();
      const refusal = await submitted.then(() => undefined, refusalOf);
      await cache.templates.invalidate();
      if (stored === undefined) await navigate({ ...pages.template(id), replace: true, state: { refusal } });
      else await submitted;
    },
  };
}

/** The refusal that a new template brings to its page. It shows once: a reload begins without it. */
export function useArrivedRefusal(): Refusal | undefined {
  const stated = useLocation({ select: ({ state }) => state.refusal });
  const [refusal] = useState(stated);
  const navigate = useNavigate();
  useEffect(() => {
    if (stated !== undefined) void navigate({ to: ".", replace: true, state: {} });
  }, [stated, navigate]);
  return refusal;
}

declare module "@tanstack/react-router" {
  interface HistoryState {
    refusal?: Refusal | undefined;
  }
}
