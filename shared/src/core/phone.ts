const E164 = /^\+[1-9]\d{6,14}$/;

/** Whether `text` is a phone number in E.164 form: a plus, a country code, 7 to 15 digits in all. */
export const isE164 = (text: string): boolean => E164.test(text);
