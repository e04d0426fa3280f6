import type { OAuthDetails } from './error.ts';

/** An authorization response as a form that is posted to the redirect URI. */
export interface PostedResponse {
  /** The redirect URI: http or https. */
  action: string;
  /** The parameters of the response. */
  fields: Readonly<Record<string, string>>;
}

export interface FormPostView {
  application: { name: string };
  response: PostedResponse;
  /** Lets the page post itself; without it the person presses the button. */
  nonce?: string | undefined;
}

/** Asks before a browser leaves for an application that the operator has not checked. */
export interface LeaveView {
  application: { name: string };
  /** Reason to leave. */
  reason: 'request_refused' | 'failed' | 'cancelled' | 'signed_out';
  /** The redirect URI, which is shown whole. */
  destination: string;
  /** A link to the redirect URI, or the form that posts there. */
  goOn: { href: string } | PostedResponse;
  oauth?: OAuthDetails | undefined;
  links: { stay: string };
}
