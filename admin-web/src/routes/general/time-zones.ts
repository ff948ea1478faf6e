/** Every zone of the time zone database that this browser knows, UTC first, as choices whose labels people can search. `stored` is among them. */
export function timeZoneChoices(stored: string): { value: string; label: string }[] {
  const zones = new Set(["UTC", stored, ...Intl.supportedValuesOf("timeZone")]);
  return Array.from(zones, (value) => ({ value, label: zoneLabel(value) }));
}

export const zoneLabel = (zone: string): string => zone.replaceAll("_", " ");
