import type { ApplicationSummary } from './application.ts';
import type { Form, ProviderForm } from './forms.ts';

export interface ConsentView {
  form: Form;
  application: ApplicationSummary;
  account: { email: string; name?: string | undefined };
  /** What is asked now. Claims asked one by one (parameter `claims`) are shown by the scope that has them. */
  scopes: readonly string[];
  /** What was allowed before, when the application asks for more. */
  grantedScopes?: readonly string[] | undefined;
  /** Host of the redirect URI. */
  returnsTo?: string | undefined;
  /** Whether it runs on the person's device, where any program may pose as it. */
  isOnDevice?: boolean | undefined;
  /** Where “use another account” is posted, with the form's `csrf`. */
  switchAccountAction?: string | undefined;
}

export interface DeviceCodeView {
  form: ProviderForm<'user_code'>;
  /** As typed before. */
  userCode?: string | undefined;
}

export interface DeviceConfirmView {
  form: ProviderForm;
  application: ApplicationSummary;
  /** As the device shows it, such as `BCDF-GHJK`. */
  userCode: string;
  /** What it asks for. */
  scopes?: readonly string[] | undefined;
  /** Where the device asked from. */
  from: {
    address: string;
    /** Its `User-Agent`, or a name made of it. */
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
  /** The application that asks. */
  application?: Pick<ApplicationSummary, 'name' | 'logo'> | undefined;
}

export interface SignedOutView {
  links: { signIn?: string | undefined };
}
