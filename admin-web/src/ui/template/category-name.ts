/** A category as it is read: `UTILITY` is Utility. */
export const categoryName = (category: string): string => category.charAt(0) + category.slice(1).toLowerCase();
