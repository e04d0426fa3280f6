/** An application as the people see it who are asked to allow it. */
export interface ApplicationSummary {
  name: string;
  /** Address of its logo on this server. */
  logo?: string | undefined;
  /** Who registered it. */
  owner?: string | undefined;
  homePage?: string | undefined;
  /** Host that serves the document by which it describes itself; its name is as that host chose it. */
  documentHost?: string | undefined;
  /** What it does with people's data, and its terms of service. */
  policyUri?: string | undefined;
  tosUri?: string | undefined;
  /** The operator vouches for it. */
  isVerified: boolean;
}
