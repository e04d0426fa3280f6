import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { poll } from '../rolling-restart/poll.ts';
import { findUserId, rotateKey, setAgent } from './realms.ts';
import type { Check } from './report.ts';
import {
  isSignedIn,
  pathOf,
  type RealmName,
  signInBy,
  signInHere,
  signInThere,
  userOf,
  type World,
} from './world.ts';

/** Log-outs in both directions, and sign-ins while Keycloak is down. */
export const logOutChecks: readonly Check[] = [
  ['a log-out at Keycloak ends one session here, with its tokens (back-channel)', endsSession],
  ['an administrator of Keycloak ends one session of a user here', endsSessionByAdministrator],
  ['an administrator of Keycloak ends every session of a user here by one token', endsAllSessions],
  ['a logout token by a key that was rotated a moment ago is accepted', acceptsNewKey],
  ['a sign-in that waits for its second factor ends by a log-out at Keycloak', endsWaitingSignIn],
  ['a log-out at Keycloak ends the session by a frame (front-channel)', endsByFrame],
  ['a sign-out here leads to the log-out at Keycloak and back (RP-initiated)', leadsToLogOut],
  ['Keycloak that is down costs its own button only', survivesOutage],
  ['Keycloak that was restarted signs users in again', continuesAfterRestart],
];

async function logOutThere({ keycloak }: World, page: Page, realm: RealmName): Promise<void> {
  await page.goto(`${keycloak.issuerOf(realm)}/protocol/openid-connect/logout`);
  await page.click('#kc-logout');
  await page.waitForSelector('#kc-logout', { state: 'detached' });
  // The page is loaded when its frames are.
  await page.waitForLoadState('load');
}

function untilSignedOut(world: World, page: Page): Promise<void> {
  return poll('the session at Keydesk to end', async () => !(await isSignedIn(world, page)));
}

async function endsSession(world: World): Promise<void> {
  const { application, openPage, realms } = world;
  const page = await openPage();
  await application.begin(page, 'field');
  await signInThere(page, realms.field, userOf(realms.field, 'cleo'));
  await page.click('#allow');
  const tokens = await application.finish(page);
  const other = await openPage();
  await signInBy(world, other, 'field', 'cleo');
  await logOutThere(world, page, 'field');
  await untilSignedOut(world, page);
  await assert.rejects(application.refresh(tokens), { error: 'invalid_grant' });
  assert.equal(await isSignedIn(world, other), true);
}

async function endsSessionByAdministrator(world: World): Promise<void> {
  const { keycloak, openPage, realms } = world;
  const [page, other] = [await openPage(), await openPage()];
  await signInBy(world, other, 'field', 'cleo');
  const id = await findUserId(keycloak, realms.field, userOf(realms.field, 'cleo'));
  const list = () => keycloak.administer<{ id: string }[]>('GET', `/field/users/${id}/sessions`);
  const before = new Set((await list()).map((session) => session.id));
  await signInBy(world, page, 'field', 'cleo');
  const added = (await list()).find((session) => !before.has(session.id));
  await keycloak.administer('DELETE', `/field/sessions/${added?.id}`);
  await untilSignedOut(world, page);
  assert.equal(await isSignedIn(world, other), true);
}

/** Keycloak sends one token for all sessions of the user; in this realm it names the user, not a session. */
async function endsAllSessions(world: World): Promise<void> {
  const { keycloak, openPage, realms } = world;
  const pages = [await openPage(), await openPage()];
  for (const page of pages) await signInBy(world, page, 'staff', 'ada');
  const id = await findUserId(keycloak, realms.staff, userOf(realms.staff, 'ada'));
  await keycloak.administer('POST', `/staff/users/${id}/logout`);
  for (const page of pages) await untilSignedOut(world, page);
}

async function acceptsNewKey(world: World): Promise<void> {
  const page = await world.openPage();
  await signInBy(world, page, 'field', 'cleo');
  await rotateKey(world.keycloak, world.realms.field);
  await logOutThere(world, page, 'field');
  await untilSignedOut(world, page);
}

async function endsWaitingSignIn(world: World): Promise<void> {
  const { keycloak, keydesk, realms, openPage } = world;
  const cleo = userOf(realms.field, 'cleo');
  await setAgent(keycloak, realms.field, cleo, true);
  const page = await openPage();
  await signInBy(world, page, 'field', 'cleo');
  assert.equal(pathOf(page), '/sign-in/second-factor');
  await logOutThere(world, page, 'field');
  await poll('the sign-in to end', async () => {
    await page.goto(`${keydesk.issuer}/sign-in/second-factor`);
    return pathOf(page) === '/sign-in';
  });
  await setAgent(keycloak, realms.field, cleo, false);
}

async function endsByFrame(world: World): Promise<void> {
  const page = await world.openPage();
  await signInBy(world, page, 'guests', 'dan');
  assert.equal(await isSignedIn(world, page), true);
  await logOutThere(world, page, 'guests');
  await untilSignedOut(world, page);
}

async function leadsToLogOut(world: World): Promise<void> {
  const { keydesk, openPage } = world;
  const page = await openPage();
  await signInBy(world, page, 'staff', 'ada');
  await page.goto(`${keydesk.issuer}/session/end`);
  await page.click('#confirm');
  await page.click('#upstream-log-out');
  await page.click('#kc-logout');
  await page.waitForURL(`${keydesk.issuer}/session/end/success`);
  await page.goto(`${keydesk.issuer}/sign-in/with/staff`);
  await page.waitForSelector('#username');
}

async function survivesOutage(world: World): Promise<void> {
  const { keycloak, keydesk, openPage } = world;
  await keycloak.stop();
  const page = await openPage();
  // The metadata may still be cached; then the browser finds that nothing listens.
  await page.goto(`${keydesk.issuer}/sign-in/with/staff`).catch(() => undefined);
  assert.equal((await fetch(`${keydesk.issuer}/readyz`)).status, 200);
  await signInHere(world, await openPage());
}

async function continuesAfterRestart(world: World): Promise<void> {
  await world.keycloak.start();
  const page = await world.openPage();
  await signInBy(world, page, 'staff', 'ada');
  assert.equal(pathOf(page), '/account');
}
