import { type Browser, createBrowser } from './browser.ts';
import type { Deployment } from './deployment.ts';
import type { PlanRequest } from './suite.ts';

/** A certification plan: the settings that the server needs for it, and what the suite is asked for. */
export interface Plan {
  settings: Readonly<Record<string, string>>;
  request(at: Surroundings): PlanRequest | Promise<PlanRequest>;
}

/** What a plan is made for. */
export interface Surroundings {
  deployment: Deployment;
  browser: Browser;
  /** The suite's redirect URI for the aliased plan. */
  callback: string;
  /** Likewise, after log-out. */
  loggedOut: string;
}

/** The part of the suite's redirect URIs that clients can be registered with beforehand. */
export const alias = 'keydesk';

/** The server as OpenID Connect's certification, not FAPI's, asks for it. */
export const certificationProfile = { CONFORMANCE_PROFILE: 'true' };

export function createSurroundings(deployment: Deployment, suiteUrl: string): Surroundings {
  const redirectUri = (path: string) => new URL(`/test/a/${alias}/${path}`, suiteUrl).href;
  return {
    deployment,
    browser: createBrowser(deployment),
    callback: redirectUri('callback'),
    loggedOut: redirectUri('post_logout_redirect'),
  };
}

/** What the suite is told of the server. */
export function serverOf({ issuer, account }: Deployment) {
  return { discoveryUrl: `${issuer}/.well-known/openid-configuration`, login_hint: account.email };
}

/** The clients of a plan that registers them itself. */
export const dynamicClients = { client: { client_name: 'Suite 1' }, client2: { client_name: 'Suite 2' } };
