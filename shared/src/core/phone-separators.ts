/**
 * What people put between the digits of a phone, as a part of a bracket expression that PostgreSQL and JavaScript read alike: signs, the spaces and hyphens
 * of typography, those that nobody sees among them, and the full-width forms that go with full-width digits.
 */
export const PHONE_SEPARATORS =
  "-() ./\t\u00a0\u00ad\u061c\u2000-\u200f\u2010-\u2015\u202a-\u202f\u2060-\u2069\u2212\u3000\u30fc\ufe63\ufeff\uff08\uff09\uff0d-\uff0f";
