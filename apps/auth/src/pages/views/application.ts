/** An application as the people see it who are asked to allow it. */
export interface ApplicationSummary {
  name: string;
  /** Who registered it. */
  owner?: string | undefined;
  homePage?: string | undefined;
  /** The operator vouches for it. */
  isVerified: boolean;
}
