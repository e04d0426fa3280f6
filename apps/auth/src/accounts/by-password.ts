/**
 * How somebody who signed in by password did, as sessions keep it and ID tokens tell it (OpenID Connect Core §2). The
 * class (SAML 2.0 Authentication Context §3.4.9) says what was done and promises no level of assurance.
 */
export const byPassword = {
  acr: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
  /** RFC 8176 §2 */
  amr: ['pwd'],
};
