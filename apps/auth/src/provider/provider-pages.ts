import type { Client, ErrorOut, KoaContextWithOIDC } from 'oidc-provider';

/** Pages that oidc-provider renders by itself; the rooms above `provider` implement them. */
export interface ProviderPages {
  /** Renders an error that must not be redirected to the client: a page for browsers, JSON for programs. */
  renderError(ctx: KoaContextWithOIDC, out: ErrorOut, err: Error): Promise<void>;
  renderSignOut(ctx: KoaContextWithOIDC): Promise<void>;
  renderSignedOut(ctx: KoaContextWithOIDC): Promise<void>;
  device: DevicePages;
}

/** Pages that connect a device to an account (RFC 8628 §3.3). */
export interface DevicePages {
  /** Renders the form for the user code, with the problem if `err` is set. */
  renderCodeInput(ctx: KoaContextWithOIDC, form: string, out?: ErrorOut, err?: Error): Promise<void>;
  /** Renders the client, the scopes and the origin before anything is granted (§5.4, remote phishing). */
  renderConfirmation(
    ctx: KoaContextWithOIDC,
    form: string,
    client: Client,
    origin: object,
    userCode: string,
  ): void;
  renderConnected(ctx: KoaContextWithOIDC): void;
}

/** Target of a redirect, and the response that the application would receive. */
export interface RedirectTarget {
  redirectUri: string;
  /** Authorization response before signing; absent after a log-out. */
  response?: Readonly<Record<string, string>>;
  /** Fields that the form posts; absent for a redirect. */
  fields?: Readonly<Record<string, string>> | undefined;
}

/** Pages between an authorization response, or a log-out, and the application. */
export interface ResponsePages {
  /** Posts a response by script or by its button (OAuth 2.0 Form Post Response Mode §2). */
  post(
    ctx: KoaContextWithOIDC,
    target: RedirectTarget & { fields: NonNullable<RedirectTarget['fields']> },
  ): void;
  /**
   * Whether the user must confirm the redirect: no user is signed in and the application is unverified. RFC 9700
   * §4.11.2 exempts silent requests (`prompt=none`), which may not show a page.
   */
  mustConfirm(ctx: KoaContextWithOIDC): Promise<boolean>;
  /** Asks before the redirect that was written to the context, or before a response is posted (RFC 9700 §4.11.2). */
  confirm(ctx: KoaContextWithOIDC, target: RedirectTarget): void;
}

/** Routes of oidc-provider that browsers visit. */
const pageRoutes = [
  'authorization',
  'resume',
  'end_session',
  'end_session_confirm',
  'end_session_success',
  'code_verification',
  'device_resume',
];

/** Whether the response is shown to a user. */
export function isPageRoute({ oidc }: KoaContextWithOIDC): boolean {
  return pageRoutes.includes(oidc.route);
}
