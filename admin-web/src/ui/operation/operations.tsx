import { useSessionStorage } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import { type OperationKind, operationStates } from "shared/core/operation";
import { formatParts, formatSeconds } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { cache, type Outputs, trpc } from "../../trpc.ts";
import { useSiteName } from "../base/site-names.tsx";
import labels from "./operation-labels.json";

export type ListedOperation = Outputs["operations"]["list"]["items"][number];

export const operationLabel = (kind: OperationKind): string => translated(labels.kinds[kind]);

/** Tells operations of one kind apart: by their site or endpoint, where they have one, and by their time. */
export function useOperationTitle({ kind, siteId, subjectId, startedAt }: ListedOperation): string {
  const isOfPause = kind === "send_now" && subjectId !== null;
  const siteName = useSiteName();
  const isOfEndpoint = kind === "replay_deliveries" && subjectId !== null;
  const endpoints = trpc.webhooks.list.useQuery({ limit: 200 }, { enabled: isOfEndpoint, staleTime: 60_000 }).data?.items;
  const endpoint = isOfEndpoint && endpoints?.find(({ id }) => id === subjectId);
  const place = endpoint ? endpoint.url : siteId !== null && siteName(siteId);
  return formatParts([isOfPause ? t("Messages of the pause sent") : operationLabel(kind), place, formatSeconds(startedAt)]);
}

/** Where exactly the operation's messages or deliveries are shown, or else what it was about. */
export function operationPage({ id, kind, hasMessages }: Pick<ListedOperation, "id" | "kind" | "hasMessages">): {
  to: string;
  search?: object;
} {
  if (hasMessages || kind === "replay_deliveries") return { to: hasMessages ? paths.log : paths.webhooks, search: { operationId: id } };
  return { to: kind === "erasure" ? paths.privacy : paths.bindings };
}

const rests: Partial<Record<OperationKind, string>> = {
  resend: paths.log,
  cancel: paths.scheduled,
  send_now: paths.scheduled,
  replay_deliveries: paths.webhooks,
};

/** Where what a stopped operation has left is shown. */
export const restPage = ({ kind, siteId }: ListedOperation) => ({
  to: rests[kind] ?? paths.bindings,
  search: { ...(siteId !== null && { siteId }), ...((kind === "resend" || kind === "replay_deliveries") && { status: "failed" }) },
});

/** The later of two answers about an operation, of which an older one may arrive last: its state only goes on, and its counts only grow. */
export const laterOf = (known: ListedOperation, told: ListedOperation): ListedOperation =>
  (operationStates.indexOf(told.state) - operationStates.indexOf(known.state) || told.done - known.done) < 0 ? known : told;

const none: readonly string[] = [];

/** The operations that this tab shows: until they are dismissed or, once they have ended, the page is left; also after a reload. */
export const useFollowedOperations = () =>
  useSessionStorage({ key: "tidings-followed", defaultValue: none, getInitialValueInEffect: false });

export const mostFollowed = 5;

/** Shows an operation, which was just begun, in the shell. */
export function useFollowOperation(): (id: string) => void {
  const [, setFollowed] = useFollowedOperations();
  return (id) => {
    setFollowed((followed) => [...followed.filter((each) => each !== id), id].slice(-mostFollowed));
    void cache.operations.list.invalidate();
  };
}

/** The most operations under way that are shown, and that are asked for. */
export const mostOpen = 2;
const mostAsked = 12;
const busyMs = 1_000;
const idleMs = 15_000;

/** The newest operations under way; single events that are replayed aside, which last a moment. */
export function useOpenOperations(): ListedOperation[] {
  const query = trpc.operations.list.useQuery(
    { open: true, notKind: "replay", limit: mostAsked },
    { refetchInterval: ({ state }) => ((state.data?.items.length ?? 0) > 0 ? busyMs : idleMs) },
  );
  return query.data?.items ?? [];
}

/** Calls `look` whenever an operation under way has begun, advanced (as far as `tell` tells), or ended. */
export function useOperationsAdvance(look: () => void, tell = ({ id, done }: ListedOperation) => `${id} ${done}`): void {
  const open = useOpenOperations();
  const advance = open.map(tell).join();
  const known = useRef("");
  useEffect(() => {
    if (advance !== known.current) look();
    known.current = advance;
    // Only an advance looks again, not a render.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [advance]);
}
