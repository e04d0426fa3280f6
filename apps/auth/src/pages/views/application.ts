/** Application as shown to users, for example on the consent page. */
export interface ApplicationSummary {
  name: string;
  /** Path of its logo on this server. */
  logo?: string | undefined;
  /** Name or address of its owner. */
  owner?: string | undefined;
  homePage?: string | undefined;
  /** Host of its client metadata document, which chose its name. */
  documentHost?: string | undefined;
  /** URLs of its privacy policy and terms of service. */
  policyUri?: string | undefined;
  tosUri?: string | undefined;
  /** Whether the operator has verified it. */
  isVerified: boolean;
}
