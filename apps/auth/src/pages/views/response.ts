import type { OAuthDetails } from './error.ts';

/** Authorization response as a form that is posted to the redirect URI. */
export interface PostedResponse {
  /** Redirect URI, http or https. */
  action: string;
  /** Parameters of the response. */
  fields: Readonly<Record<string, string>>;
}

export interface FormPostView {
  application: { name: string };
  response: PostedResponse;
  /** Nonce of the script that submits the form; without the script, the user presses the button. */
  nonce?: string | undefined;
}

/** Confirmation before a redirect to an unverified application. */
export interface LeaveView {
  application: { name: string };
  /** Reason of the redirect. */
  reason: 'request_refused' | 'failed' | 'cancelled' | 'signed_out';
  /** Redirect URI, shown in full. */
  destination: string;
  /** Link to the redirect URI, or the form that posts there. */
  goOn: { href: string } | PostedResponse;
  oauth?: OAuthDetails | undefined;
  links: { stay: string };
}
