import type { ApplicationSummary } from './application.ts';
import type { Form, ProviderForm } from './forms.ts';

export interface ConsentView {
  form: Form;
  application: ApplicationSummary;
  account: { email: string; name?: string | undefined };
  /** Requested scopes. Individual claims (parameter `claims`) are shown as the scope that contains them. */
  scopes: readonly string[];
  /** Scopes that were already granted, if the application requests more. */
  grantedScopes?: readonly string[] | undefined;
  /** Host of the redirect URI. */
  returnsTo?: string | undefined;
  /** Whether it runs on the user's device, where any program can impersonate it. */
  isOnDevice?: boolean | undefined;
  /** Action of “use another account”, posted with the form's `csrf`. */
  switchAccountAction?: string | undefined;
}

export interface DeviceCodeView {
  form: ProviderForm<'user_code'>;
  /** Rejected input. */
  userCode?: string | undefined;
}

export interface DeviceConfirmView {
  form: ProviderForm;
  application: ApplicationSummary;
  /** User code as shown on the device, such as `BCDF-GHJK`. */
  userCode: string;
  /** Requested scopes. */
  scopes?: readonly string[] | undefined;
  /** Source of the device's request. */
  from: {
    address: string;
    /** Its `User-Agent`, or a name derived from it. */
    device?: string | undefined;
    at?: Date | undefined;
  };
}

export interface DeviceResultView {
  outcome: 'connected' | 'denied';
  application: { name: string };
}

export interface SignOutView {
  form: ProviderForm;
  account: { email: string };
  /** Application that requested the log-out. */
  application?: Pick<ApplicationSummary, 'name' | 'logo'> | undefined;
}

export interface SignedOutView {
  links: { signIn?: string | undefined };
  /** Provider at which the user is still signed in. */
  upstream?: { provider: string; href: string } | undefined;
}
