import type { TemplateStatus } from "shared/core/template/definition";
import { LabelBadge } from "../label-badge.tsx";

const colors: Record<TemplateStatus, string> = {
  draft: "gray",
  pending: "blue",
  approved: "teal",
  rejected: "red",
  paused: "yellow",
  disabled: "red",
};

/** A template's status. */
export function TemplateStatusBadge({ status }: { status: TemplateStatus }) {
  return <LabelBadge color={colors[status]}>{status}</LabelBadge>;
}
