export const assistantProviders = ["openai", "anthropic"] as const;

/** The default address of each kind of provider. */
export const defaultAssistantUrls: Readonly<Record<(typeof assistantProviders)[number], string>> = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
};

export const defaultAssistantLimits = { timeoutSeconds: 60, outputTokens: 2_000, dailyTokens: 200_000 };
