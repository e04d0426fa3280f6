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
