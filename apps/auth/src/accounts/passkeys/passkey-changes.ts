import { AppError, type FieldError } from '@keydesk/server';
import type { Account } from '../account.ts';
import type { Origin } from '../account-event.ts';
import {
  type AccountLinks,
  type AccountOperations,
  rejectInvalid,
  toValidationError,
} from '../account-operations.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import type { FactorStore } from '../factors/factor-store.ts';
import {
  createFactors,
  type FactorChanges,
  type Factors,
  type Passkey,
  updateFactors,
} from '../factors/factors.ts';
import { toCreationOptions } from './ceremony-options.ts';
import type { PasskeyChallenges } from './challenges.ts';
import type { RelyingParty } from './relying-party.ts';
import { parseRegistration } from './responses.ts';
import { type NewCredential, verifyRegistration } from './verification.ts';

export interface PasskeyChangesOptions {
  operations: AccountOperations;
  factors: FactorStore;
  challenges: PasskeyChallenges;
  /** `undefined` if browsers have no WebAuthn at the issuer. */
  relyingParty: RelyingParty | undefined;
  links: AccountLinks;
  background: BackgroundTasks;
  now: () => Date;
}

/** Passkey to add: the response of the browser to the options of a form. */
export interface PasskeyAddition {
  accountId: string;
  name: string;
  /** JSON. */
  response: string;
  /** Anti-forgery token of the form. */
  formToken: string;
}

/** Passkeys on the account pages. */
export interface PasskeyChanges {
  readonly arePasskeysAvailable: boolean;
  listPasskeys(accountId: string): Promise<readonly Passkey[]>;
  /** @throws {AppError} `not_found` */
  getPasskey(accountId: string, id: string): Promise<Passkey>;
  /** Returns the options with which the browser creates a passkey, as JSON; `undefined` without WebAuthn. */
  offerPasskey(account: Account, formToken: string): Promise<string | undefined>;
  /**
   * Adds a passkey, notifies the owner and ends the trust in devices.
   *
   * @throws {AppError} `validation_failed`; `forbidden` if the address is not verified
   */
  addPasskey(addition: PasskeyAddition, origin: Origin): Promise<Passkey>;
  /** @throws {AppError} `not_found` or `validation_failed` */
  renamePasskey(change: { accountId: string; id: string; name: string }, origin: Origin): Promise<void>;
  /**
   * Removes a passkey, notifies the owner and ends the trust in devices.
   *
   * @throws {AppError} `not_found`; `validation_failed` with the code `last` if the account could no longer sign in
   */
  removePasskey(change: { accountId: string; id: string }, origin: Origin): Promise<void>;
}

export const MAX_PASSKEY_NAME = 60;
/** More than a person has authenticators; bounds the document. */
const MAX_PASSKEYS = 20;

export function createPasskeyChanges(options: PasskeyChangesOptions): PasskeyChanges {
  const { operations, factors, challenges, relyingParty, links, background, now } = options;
  const verify = createVerification(options);

  async function listPasskeys(accountId: string): Promise<readonly Passkey[]> {
    return (await factors.find(accountId))?.passkeys ?? [];
  }

  /** Reads, changes and writes factors; retries when another process wrote them in between. */
  async function change(accountId: string, toChanges: (stored: Factors) => FactorChanges): Promise<void> {
    for (;;) {
      const stored = (await factors.find(accountId)) ?? createFactors(accountId);
      const outcome = await factors.replace(updateFactors(stored, toChanges(stored)), stored.version);
      if (outcome === 'replaced') return;
      if (outcome === 'passkey_taken') rejectInvalid([invalidResponse]);
    }
  }

  function notify(kind: 'passkey_added' | 'passkey_removed', account: Account): void {
    background.run(() => operations.sendMail(kind, account, { link: links.signIn() }));
  }

  return {
    arePasskeysAvailable: relyingParty !== undefined,
    listPasskeys,
    async getPasskey(accountId, id) {
      return findPasskey(await listPasskeys(accountId), id);
    },
    async offerPasskey(account, formToken) {
      if (!relyingParty) return undefined;
      const passkeys = await listPasskeys(account.id);
      const challenge = challenges.create({ purpose: 'registration', formToken, accountId: account.id });
      return JSON.stringify(toCreationOptions({ relyingParty, account, passkeys, challenge }));
    },
    async addPasskey(addition, origin) {
      const { accountId } = addition;
      const account = await operations.get(accountId);
      // A stranger who signed up with this address must not keep access once its owner resets the password.
      if (!account.emailVerified) throw new AppError('forbidden', 'Verify the e-mail address first.');
      const name = parseName(addition.name);
      const credential = await verify(addition);
      const passkey: Passkey = { ...credential, name, createdAt: now(), lastUsedAt: null };
      await change(accountId, ({ passkeys }) => {
        if (passkeys.length >= MAX_PASSKEYS) rejectInvalid([tooMany]);
        return { passkeys: [...passkeys, passkey], trustedDevices: [] };
      });
      await operations.recordEvent('account.passkey_added', accountId, origin);
      notify('passkey_added', account);
      return passkey;
    },
    async renamePasskey({ accountId, id, name: typed }, origin) {
      const name = parseName(typed);
      await change(accountId, ({ passkeys }) => {
        const renamed = { ...findPasskey(passkeys, id), name };
        return { passkeys: passkeys.map((each) => (each.id === id ? renamed : each)) };
      });
      await operations.recordEvent('account.passkey_renamed', accountId, origin);
    },
    async removePasskey({ accountId, id }, origin) {
      const account = await operations.get(accountId);
      await change(accountId, ({ passkeys }) => {
        findPasskey(passkeys, id);
        if (isLastWayToSignIn(account, passkeys)) rejectInvalid([last]);
        return { passkeys: passkeys.filter((each) => each.id !== id), trustedDevices: [] };
      });
      await operations.recordEvent('account.passkey_removed', accountId, origin);
      notify('passkey_removed', account);
    },
  };
}

/** Creates the verification of a response to the options of a form. */
function createVerification({
  challenges,
  relyingParty,
}: Pick<PasskeyChangesOptions, 'challenges' | 'relyingParty'>) {
  return async function verify(addition: Omit<PasskeyAddition, 'name'>): Promise<NewCredential> {
    const { response, formToken, accountId } = addition;
    const claimed = parseRegistration(response);
    const scope = { purpose: 'registration', formToken, accountId } as const;
    const isOurs = claimed !== undefined && (await challenges.redeem(claimed.challenge, scope));
    const credential = isOurs && relyingParty ? await verifyRegistration(claimed, relyingParty) : undefined;
    if (!credential) throw toValidationError([invalidResponse]);
    return credential;
  };
}

/** Whether the account could not sign in without its only passkey. A password is never removed. */
export function isLastWayToSignIn(
  { passwordHash }: Pick<Account, 'passwordHash'>,
  passkeys: readonly Passkey[],
): boolean {
  return passwordHash === null && passkeys.length <= 1;
}

function findPasskey(passkeys: readonly Passkey[], id: string): Passkey {
  const found = passkeys.find((each) => each.id === id);
  if (!found) throw new AppError('not_found', 'This account has no such passkey.');
  return found;
}

function parseName(typed: string): string {
  const name = typed
    .normalize()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  if (name === '') rejectInvalid([{ field: 'passkey_name', code: 'missing', message: 'is missing' }]);
  if (name.length > MAX_PASSKEY_NAME)
    rejectInvalid([
      { field: 'passkey_name', code: 'too_long', message: `has more than ${MAX_PASSKEY_NAME} characters` },
    ]);
  return name;
}

const invalidResponse: FieldError = {
  field: 'passkey',
  code: 'invalid',
  message: 'was not created, or too long ago; try again',
};
const tooMany: FieldError = {
  field: 'passkey',
  code: 'too_many',
  message: `exceeds the limit of ${MAX_PASSKEYS}`,
};
const last: FieldError = { field: 'passkey', code: 'last', message: 'is the only way to sign in' };
