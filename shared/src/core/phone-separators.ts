/**
 * What people put between the digits of a phone, as a part of a bracket expression that PostgreSQL and JavaScript read alike: signs, and the spaces and hyphens
 * of typography, those that nobody sees among them.
 */
export const PHONE_SEPARATORS = "-() ./\t\u00a0\u2000-\u200d\u2010-\u2015\u202f\u2060\u2212\ufeff";
