/** What a template may be made as here. One-time codes have a fixed text of the platform's own and are made in its manager. */
export const categories = ["UTILITY", "MARKETING"] as const;
