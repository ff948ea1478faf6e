import { readPreference, type PreferenceUpdate } from "./callback/preference-update.ts";
import { timeMember } from "./callback/read-time.ts";
import { readStatus, type StatusUpdate } from "./callback/status-update.ts";
import { readTemplateUpdate, type TemplateUpdate } from "./callback/template-update.ts";
import { listMember, member } from "./http/json-member.ts";

/** What one call of the platform tells, in the order in which it tells it. */
export interface Callback {
  statuses: StatusUpdate[];
  templates: TemplateUpdate[];
  preferences: PreferenceUpdate[];
  /** Updates of other kinds (incoming messages, account news) or without what identifies them. */
  ignored: number;
}

/** @param body Any JSON: what does not look like an update is ignored, never an error. */
export function parseCallback(body: unknown): Callback {
  const callback: Callback = { statuses: [], templates: [], preferences: [], ignored: 0 };
  for (const entry of listMember(body, "entry")) {
    // The platform's own sample shows `rejection_info` beside `value`, so the whole change is handed on.
    const at = timeMember(entry, "time");
    for (const change of listMember(entry, "changes")) readChange(change, at, callback);
  }
  return callback;
}

/** By the keys, not by `field`: the platform's samples get that wrong. */
function readChange(change: unknown, at: Date | null, callback: Callback): void {
  const value = member(change, "value");
  const statuses = listMember(value, "statuses");
  const preferences = listMember(value, "user_preferences");
  const others = listMember(value, "messages").length + listMember(value, "errors").length;
  for (const item of statuses) add(readStatus(item), callback.statuses, callback);
  for (const item of preferences) add(readPreference(item), callback.preferences, callback);
  callback.ignored += others;
  if (statuses.length + preferences.length + others === 0) add(readTemplateUpdate(change, at), callback.templates, callback);
}

function add<T>(update: T | null, list: T[], callback: Callback): void {
  if (update === null) callback.ignored += 1;
  else list.push(update);
}
