import type { ProblemKind } from "shared/core/problem/problem";
import { describeReason } from "shared/core/reason";
import { t } from "../../language.ts";
import type { Outputs } from "../../trpc.ts";
import { Status } from "../base/facts.tsx";
import { describeIdle } from "../base/labels.ts";
import { useOpenProblems } from "./open-problems.ts";
import { kindLabel } from "./problem-kinds.ts";

type Binding = Outputs["bindings"]["list"]["items"][number];

/** What is wrong with a binding, each in few words without the remedy, and the kind of problem that it is: as it is saved, and what open problems tell of it. */
export function useBindingFaults(): (binding: Binding) => { kind: ProblemKind; told: string | undefined }[] {
  const open = useOpenProblems()?.items ?? [];
  return (binding) => {
    const { id, problemCodes, idleSince } = binding;
    const saved = problemCodes.map((problem) => ({
      kind: problem.code === "equal_binding" ? ("binding_doubled" as const) : ("binding_cannot_send" as const),
      // The clause of an empty value says behind its colon what is wrong.
      told: problem.code.startsWith("value_") ? describeReason(problem, t) : describeReason(problem, t).split(/[:：.]/u, 1)[0],
    }));
    const idle = t("Not fired for 30 days: {binding}", { binding: describeIdle(binding) });
    const own = idleSince === null ? saved : [...saved, { kind: "binding_never_fired" as const, told: idle }];
    const found = open.filter(({ subject, detail }) => subject.startsWith(id) || ("bindingId" in detail && detail.bindingId === id));
    const others = found.filter(({ kind }) => own.every((each) => each.kind !== kind));
    const told = others.map(({ kind, detail }) => {
      const empty = "empty" in detail ? detail.empty[0] : undefined;
      return { kind, told: empty === undefined ? kindLabel(kind) : describeReason(empty, t) };
    });
    return [...own, ...told];
  };
}

/** Whether a binding sends, and what is wrong with one that is on, in one line. */
export function BindingState({ binding }: { binding: Binding }) {
  const told = useBindingFaults()(binding).map((fault) => fault.told);
  if (!binding.enabled) return <Status tone="waiting">{t("Off")}</Status>;
  return told.length === 0 ? (
    <Status tone="delivered">{t("On")}</Status>
  ) : (
    <Status tone="attention">
      <span title={told.join(" · ")}>{told.join(" · ")}</span>
    </Status>
  );
}
