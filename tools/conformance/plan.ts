import { type Browser, createBrowser } from './browser.ts';
import type { Deployment } from './deployment.ts';
import type { PlanRequest } from './suite.ts';

/** A certification plan: settings of the server and the request to the suite. */
export interface Plan {
  settings: Readonly<Record<string, string>>;
  request(at: Surroundings): PlanRequest | Promise<PlanRequest>;
}

/** Deployment and suite URLs for which a plan is created. */
export interface Surroundings {
  deployment: Deployment;
  browser: Browser;
  /** Redirect URI of the suite. */
  callback: string;
  /** Post-logout redirect URI of the suite. */
  loggedOut: string;
}

/** Alias in the suite's redirect URIs, so that clients can be registered in advance. */
export const alias = 'keydesk';

/** Settings for OpenID Connect certification (not FAPI). */
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

/** Returns the suite's configuration of the server. */
export function serverOf({ issuer, account }: Deployment) {
  return { discoveryUrl: `${issuer}/.well-known/openid-configuration`, login_hint: account.email };
}

/** Clients that the plan registers dynamically. */
export const dynamicClients = { client: { client_name: 'Suite 1' }, client2: { client_name: 'Suite 2' } };
