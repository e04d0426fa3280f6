import * as oauth from 'openid-client';
import type { Page } from 'playwright-core';
import type { Account } from '../../accounts/account/account.ts';
import { applicationsPath } from '../../web/developer/portal/paths.ts';
import { paths } from '../../web/kit/account-paths.ts';
import { tourCredentials, tourLeaving, tourMailedLinks } from './credentials-tour.fixture.ts';
import { buildRejectedRequest } from './rejected-request.fixture.ts';
import type { World } from './world.fixture.ts';
import { signIn } from './world.fixture.ts';

export interface Tour extends Pick<World, 'server' | 'application' | 'mailbox' | 'upstream'> {
  page: Page;
}

/** Called on each page with the name of the page. */
export type Visit = (name: string) => Promise<void>;

/** Opens all pages of the running server, one after another. */
export async function tourPages(tour: Tour, visit: Visit): Promise<void> {
  const account = await tour.server.addAccount({ role: 'agent', name: 'Ada Lovelace' });
  const visitLoaded: Visit = async (name) => {
    await tour.page.waitForLoadState();
    await visit(name);
  };
  await tourSigningIn(tour, visitLoaded, account);
  await tourAccount(tour, visitLoaded);
  await tourPortal(tour, visitLoaded);
  await tourCredentials(tour, visitLoaded, account);
  await tourDevice(tour, visitLoaded);
  await tourSigningOut(tour, visitLoaded);
  await tourLeaving(tour, visitLoaded);
  await tourMailedLinks(tour, visitLoaded);
  await tourErrors(tour, visitLoaded);
}

async function tourSigningIn({ page, application }: Tour, visit: Visit, account: Account): Promise<void> {
  await page.goto(application.url);
  await page.click('#sign-in');
  await page.locator('form#sign-in').waitFor();
  await visit('sign-in');
  await page.click('#create-account');
  await page.locator('form#sign-up').waitFor();
  await visit('sign-up');
  await page.goBack();
  await page.click('#forgot-password');
  await page.locator('form#forgot-password').waitFor();
  await visit('forgot-password');
  await page.fill('#email', account.email);
  await page.click('#submit');
  await page.locator('#resend').waitFor();
  await visit('check-mail');
  await page.click('#to-sign-in');
  await signIn(page, account, 'not this one');
  await page.locator('#problems').waitFor();
  await visit('sign-in-wrong');
  await signIn(page, account);
  await page.locator('#consent').waitFor();
  await visit('consent');
  await page.click('#allow');
  await page.getByRole('heading', { name: 'Hello' }).waitFor();
}

async function tourAccount({ page, server }: Tour, visit: Visit): Promise<void> {
  const own = [
    paths.account,
    paths.changeName,
    paths.changePassword,
    paths.changeEmail,
    paths.connectedApplications,
  ];
  for (const path of [...own, paths.verification]) {
    await page.goto(server.url + path);
    await visit(path);
  }
  await page.goto(server.url + paths.changePassword);
  await page.fill('#current_password', 'not this one');
  await page.fill('#new_password', 'something else entirely');
  await page.click('#submit');
  await page.locator('#problems').waitFor();
  await visit('change-password-wrong');
}

async function tourPortal({ page, server }: Tour, visit: Visit): Promise<void> {
  await page.goto(server.url + applicationsPath);
  await visit('applications-none');
  await page.click('#register');
  await page.locator('form#application').waitFor();
  await visit('application-register');
  await page.check('#type-web');
  await page.fill('#name', 'Donaudampfschifffahrtsgesellschaftskundendienst');
  await page.fill('#redirect_uris', 'https://donaudampfschifffahrtsgesellschaft.example/oauth/callback');
  await page.click('#submit');
  await page.locator('#client_secret').waitFor();
  await visit('secret-shown');
  await page.click('#continue');
  await page.locator('#snippet-curl').waitFor();
  await visit('application');
  await page.click('#edit');
  await page.locator('#application').waitFor();
  await visit('application-edit');
  await page.click('#cancel');
  await page.click('#remove');
  await page.locator('#remove-application').waitFor();
  await visit('remove-application');
  await page.goto(server.url + applicationsPath);
  await visit('applications');
}

async function tourDevice({ page, server }: Tour, visit: Visit): Promise<void> {
  const { id } = await server.addClient({ type: 'device', name: 'Ticket Board', role: null });
  const options = { execute: [oauth.allowInsecureRequests] };
  const device = await oauth.discovery(new URL(server.url), id, undefined, oauth.None(), options);
  const { user_code: userCode } = await oauth.initiateDeviceAuthorization(device, { scope: 'tickets:read' });
  await page.goto(`${server.url}/device`);
  await visit('device-code');
  await page.fill('#user_code', userCode);
  await page.click('#submit');
  await page.locator('#device-confirm').waitFor();
  await visit('device-confirm');
  await page.click('#confirm');
  await page.click('#allow');
  await page.locator('.hero').waitFor();
  await visit('device-connected');
}

async function tourSigningOut({ page, server }: Tour, visit: Visit): Promise<void> {
  await page.goto(server.url + paths.account);
  await page.click('#sign-out');
  await page.locator('#log-out').waitFor();
  await visit('sign-out');
  await page.click('#confirm');
  await page.locator('.hero').waitFor();
  await visit('signed-out');
}

async function tourErrors({ page, server, application }: Tour, visit: Visit): Promise<void> {
  const wrong = await application.buildSignInUrl();
  wrong.searchParams.set('redirect_uri', 'https://app.example/elsewhere');
  const addresses = {
    'error-redirect-uri-mismatch': wrong.href,
    'error-not-found': `${server.url}/nothing/here`,
    'error-interaction-expired': `${server.url}/interaction/nothing`,
    'error-invalid-link': `${server.url}${paths.resetPassword}?token=nothing`,
  };
  for (const [name, address] of Object.entries(addresses)) {
    await page.goto(address);
    await page.locator(`h1#${name}`).waitFor();
    await visit(name);
  }
  await page.goto((await buildRejectedRequest({ server, application })).href);
  await page.locator('h1#leave').waitFor();
  await visit('leave');
}
