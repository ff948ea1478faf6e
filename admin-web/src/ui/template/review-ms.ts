/** While a template is in review: how soon its decision is seen. */
export const reviewMs = 3_000;
