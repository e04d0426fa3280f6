/**
 * Authentication context of a sign-in with a password, in sessions and ID tokens (OpenID Connect Core §2). The class
 * (SAML 2.0 Authentication Context §3.4.9) names the method; it does not claim a level of assurance.
 */
export const passwordAuthentication = {
  acr: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
  /** RFC 8176 §2 */
  amr: ['pwd'],
};
