/** What a live event would be answered, and what that means. */
export const answerMeanings: Record<string, { color: string; meaning: string }> = {
  sent: { color: "teal", meaning: "the message goes to the platform." },
  partial: { color: "yellow", meaning: "some messages go to the platform, the others are logged as failed." },
  failed: { color: "red", meaning: "nothing is sent, and the message is logged as failed." },
  skipped_no_phone: { color: "yellow", meaning: "nothing is sent, since there is nobody to write to." },
  skipped_no_config: { color: "yellow", meaning: "nothing is sent, since no platform is connected in the settings." },
};
