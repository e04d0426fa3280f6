import assert from 'node:assert/strict';
import type { Tokens } from './application.ts';
import { type RealmUser, rotateKey, setAgent } from './realms.ts';
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

/** Sign-ins at Keycloak: accounts, addresses, roles, factors, linking and keys. */
export const signInChecks: readonly Check[] = [
  ['a user with a verified address gets an account', opensAccount],
  ['a user with an unverified address is refused', refusesUnverified],
  ['a realm role becomes the role, which the API obeys', obeysRole],
  ['a realm role that was removed is lost at the next sign-in', losesRole],
  ['amr and acr of a trusted realm count, and reach the application', trustsAuthentication],
  ['a trusted realm without a second factor leaves it to Keydesk', asksForFactor],
  ['amr and acr of a realm that is not trusted for them do not count', doesNotTrust],
  ['an address alone opens no account; a link does, until it is unlinked', linksIdentities],
  ['a fresh authentication makes Keycloak ask again', asksAgain],
  ['a user signs in by a key that was rotated a moment ago', followsRotation],
];

async function opensAccount(world: World): Promise<void> {
  const page = await world.openPage();
  await signInBy(world, page, 'field', 'cleo');
  assert.equal(pathOf(page), '/account');
  assert.match(await page.content(), /cleo@field\.example/);
}

async function refusesUnverified(world: World): Promise<void> {
  const page = await world.openPage();
  await signInBy(world, page, 'staff', 'bob');
  assert.equal(pathOf(page), '/sign-in');
  assert.match(await page.innerText('#notice'), /not confirmed your e-mail address/);
}

/** Signs a user in for the application; resolves with its tokens. */
async function authorize({ application, openPage, realms }: World, realm: RealmName, name: string) {
  const page = await openPage();
  await application.begin(page, realm);
  await signInThere(page, realms[realm], userOf(realms[realm], name));
  await page.click('#allow');
  return application.finish(page);
}

/** Returns the status with which the API answers a request for a ticket of another customer. */
async function readForeignTicket(world: World, tokens: Tokens): Promise<number> {
  const { application } = world;
  const customer = await authorize(world, 'field', 'max');
  const created = await application.call(customer, '/tickets.json', { subject: 'Printer' });
  assert.equal(created.status, 201);
  const { id } = created.body as { id: string };
  return (await application.call(tokens, `/ticket/${id}.json`)).status;
}

async function obeysRole(world: World): Promise<void> {
  assert.equal(await readForeignTicket(world, await authorize(world, 'staff', 'ada')), 200);
  assert.equal(await readForeignTicket(world, await authorize(world, 'field', 'cleo')), 404);
}

async function losesRole(world: World): Promise<void> {
  const { keycloak, realms } = world;
  const ada = userOf(realms.staff, 'ada');
  await setAgent(keycloak, realms.staff, ada, false);
  assert.equal(await readForeignTicket(world, await authorize(world, 'staff', 'ada')), 404);
  await setAgent(keycloak, realms.staff, ada, true);
  assert.equal(await readForeignTicket(world, await authorize(world, 'staff', 'ada')), 200);
}

async function trustsAuthentication(world: World): Promise<void> {
  const claims = (await authorize(world, 'staff', 'ada')).claims();
  assert.deepEqual([claims?.amr].flat().toSorted(), ['mfa', 'otp', 'pwd']);
  assert.equal(claims?.acr, 'http://schemas.openid.net/pape/policies/2007/06/multi-factor');
}

async function asksForFactor(world: World): Promise<void> {
  const { keycloak, realms, openPage } = world;
  const cleo = userOf(realms.field, 'cleo');
  await setAgent(keycloak, realms.field, cleo, true);
  const page = await openPage();
  await signInBy(world, page, 'field', 'cleo');
  assert.equal(pathOf(page), '/sign-in/second-factor');
  await setAgent(keycloak, realms.field, cleo, false);
}

async function doesNotTrust(world: World): Promise<void> {
  const { keydesk, realms, openPage } = world;
  const { email }: RealmUser = userOf(realms.guests, 'dan');
  const page = await openPage();
  await signInBy(world, page, 'guests', 'dan');
  assert.equal(pathOf(page), '/account');
  await keydesk.run('account', 'set-role', email, 'agent');
  const again = await openPage();
  await signInBy(world, again, 'guests', 'dan');
  assert.equal(pathOf(again), '/sign-in/second-factor');
  await keydesk.run('account', 'set-role', email, 'customer');
}

async function linksIdentities(world: World): Promise<void> {
  const { keydesk, openPage } = world;
  const owner = await openPage();
  await signInBy(world, owner, 'guests', 'suite');
  assert.match(await owner.innerText('#notice'), /already have an account/);
  await signInHere(world, owner);
  await owner.goto(`${keydesk.issuer}/account/identities`);
  await owner.click('#link-guests');
  await owner.click('#link-identity [type=submit]');
  assert.match(await owner.innerText('#notice'), /You can now sign in with/);

  const linked = await openPage();
  await signInBy(world, linked, 'guests', 'suite');
  assert.equal(pathOf(linked), '/account');
  await owner.click('form[id^=unlink-] [type=submit]');
  assert.match(await owner.innerText('#notice'), /no longer sign in with/);
  const unlinked = await openPage();
  await signInBy(world, unlinked, 'guests', 'suite');
  assert.match(await unlinked.innerText('#notice'), /already have an account/);
}

async function asksAgain(world: World): Promise<void> {
  const { keydesk, realms, openPage } = world;
  const page = await openPage();
  await signInBy(world, page, 'field', 'cleo');
  await page.goto(`${keydesk.issuer}/sign-in/with/field?again=true&return_to=/account/name`);
  await page.fill('#password', userOf(realms.field, 'cleo').password);
  await page.click('#kc-login');
  await page.waitForURL((url) => url.pathname === '/account/name');
}

async function followsRotation(world: World): Promise<void> {
  const { keycloak, realms, openPage } = world;
  for (let rotations = 0; rotations < 2; rotations += 1) {
    await rotateKey(keycloak, realms.field);
    const page = await openPage();
    await signInBy(world, page, 'field', 'cleo');
    assert.equal(await isSignedIn(world, page), true);
  }
}
