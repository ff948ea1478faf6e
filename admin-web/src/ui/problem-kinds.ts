import type { ProblemKind } from "shared/core/problem/problem";
import { t } from "../language.ts";

const labels: Record<ProblemKind, () => string> = {
  platform_missing: () => t("WhatsApp not connected"),
  platform_stopped: () => t("Platform account stopped"),
  platform_failing: () => t("WhatsApp failing"),
  platform_notice: () => t("Notice from WhatsApp"),
  template_category: () => t("Template's category changes"),
  secret_unreadable: () => t("Secret unreadable"),
  site_disabled: () => t("Site refuses events"),
  requests_refused: () => t("Requests of a site refused"),
  failure_rate: () => t("More failures than usual"),
  template_refused: () => t("Template rejected, paused or disabled"),
  binding_cannot_send: () => t("Binding cannot send"),
  messages_failed: () => t("Messages failed"),
  nobody_reached: () => t("Events reach nobody"),
  phones_dropped: () => t("Phones left out"),
  callbacks_missing: () => t("Reports from WhatsApp missing"),
  number_limit: () => t("Number near its limit"),
  backlog: () => t("Backlog"),
  site_held: () => t("Sending paused"),
  site_silent: () => t("Site gone silent"),
  shop_fault: () => t("Webhook of the shop missing or unreadable"),
  endpoint_disabled: () => t("Endpoint switched off"),
  endpoint_failing: () => t("Endpoint failing"),
  site_without_bindings: () => t("Site without bindings"),
  test_without_phone: () => t("Test phone missing"),
  binding_doubled: () => t("Binding doubled"),
  event_misspelt: () => t("Event misspelt"),
  field_changed: () => t("Field of an event gone or changed"),
  binding_never_fired: () => t("Binding never fires"),
};

/** A kind of problems, as filters and channels choose it. */
export const kindLabel = (kind: ProblemKind): string => labels[kind]();
