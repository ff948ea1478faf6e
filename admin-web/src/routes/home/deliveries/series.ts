/** How far a message came, each in a colour of its own: defined in series.css for either scheme. From the bottom of a column up. */
export const series = [
  { name: "read", label: "Read", color: "var(--series-read)" },
  { name: "delivered", label: "Delivered, not read", color: "var(--series-delivered)" },
  { name: "sent", label: "Sent, no word since", color: "var(--series-sent)" },
  { name: "failed", label: "Failed", color: "var(--series-failed)" },
] as const;
