const SOURCE = /^[A-Za-z0-9._-]{1,64}$/;

/** Whether `text` can name the platform that an event comes from, the path's `{source}`. */
export const isSource = (text: string): boolean => SOURCE.test(text);
