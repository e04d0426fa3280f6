import { AppError, type FieldError } from '@keydesk/server';
import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import { type AccountLinks, type AccountOperations, rejectInvalid } from '../account/account-operations.ts';
import type { BackgroundTasks } from '../account/background-tasks.ts';
import type { CredentialRemoval, Remaining } from '../credentials/credential-removal.ts';
import { changeFactors } from '../factors/change-factors.ts';
import type { Passkey } from '../factors/factors.ts';
import { toCreationOptions } from './ceremony-options.ts';
import {
  createRegistration,
  type PasskeyAddition,
  parsePasskeyName,
  type RegistrationOptions,
} from './registration.ts';

export interface PasskeyChangesOptions extends RegistrationOptions {
  operations: AccountOperations;
  links: AccountLinks;
  background: BackgroundTasks;
  credentialRemoval: CredentialRemoval;
}

/** Passkeys on the account pages. */
export interface PasskeyChanges {
  readonly arePasskeysAvailable: boolean;
  /** Origins that may use the passkeys of this server (WebAuthn Level 3 §5.11). */
  readonly passkeyOrigins: readonly string[];
  listPasskeys(accountId: string): Promise<readonly Passkey[]>;
  /** @throws {AppError} `not_found` */
  getPasskey(accountId: string, id: string): Promise<Passkey>;
  /** Returns the options with which the browser creates a passkey, as JSON; `undefined` without WebAuthn. */
  offerPasskey(account: Account, formToken: string): Promise<string | undefined>;
  /**
   * Adds a passkey, notifies the owner and ends the trust in devices.
   *
   * @throws {AppError} `validation_failed`; `forbidden` if the address is not verified or the sign-in has ended
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
  /** Whether the account could no longer sign in without the passkey. @throws {AppError} `not_found` */
  isLastWayToSignIn(passkey: { accountId: string; id: string }): Promise<boolean>;
}

export function createPasskeyChanges(options: PasskeyChangesOptions): PasskeyChanges {
  const { operations, factors, challenges, relyingParty, links, background, credentialRemoval } = options;
  const { verify, insert } = createRegistration(options);

  async function listPasskeys(accountId: string): Promise<readonly Passkey[]> {
    return (await factors.find(accountId))?.passkeys ?? [];
  }

  function notify(kind: 'passkey_added' | 'passkey_removed', account: Account): void {
    background.run(() => operations.sendMail(kind, account, { link: links.signIn() }));
  }

  return {
    arePasskeysAvailable: relyingParty !== undefined,
    passkeyOrigins: relyingParty?.origins ?? [],
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
      const { owner } = addition;
      const { id: accountId } = owner;
      const account = await operations.get(accountId);
      // A stranger who signed up with this address must not keep access once its owner resets the password.
      if (!account.emailVerified) throw new AppError('forbidden', 'Verify the e-mail address first.');
      const name = parsePasskeyName(addition.name);
      const passkey = await insert(owner, name, await verify(addition));
      await operations.recordEvent('account.passkey_added', accountId, origin);
      notify('passkey_added', account);
      return passkey;
    },
    async renamePasskey({ accountId, id, name: typed }, origin) {
      const name = parsePasskeyName(typed);
      await changeFactors(factors, accountId, ({ passkeys }) => {
        const renamed = { ...findPasskey(passkeys, id), name };
        return { passkeys: passkeys.map((each) => (each.id === id ? renamed : each)) };
      });
      await operations.recordEvent('account.passkey_renamed', accountId, origin);
    },
    async removePasskey({ accountId, id }, origin) {
      const account = await operations.get(accountId);
      if ((await credentialRemoval.remove(accountId, withoutPasskey(id))) === 'last') rejectInvalid([last]);
      await operations.recordEvent('account.passkey_removed', accountId, origin);
      notify('passkey_removed', account);
    },
    isLastWayToSignIn: ({ accountId, id }) => credentialRemoval.isLastWay(accountId, withoutPasskey(id)),
  };
}

/** @throws {AppError} `not_found` */
function withoutPasskey(id: string): Remaining {
  return ({ factors, ...others }) => {
    findPasskey(factors.passkeys, id);
    const passkeys = factors.passkeys.filter((each) => each.id !== id);
    return { ...others, factors: { ...factors, passkeys, trustedDevices: [] } };
  };
}

function findPasskey(passkeys: readonly Passkey[], id: string): Passkey {
  const found = passkeys.find((each) => each.id === id);
  if (!found) throw new AppError('not_found', 'This account has no such passkey.');
  return found;
}

const last: FieldError = { field: 'passkey', code: 'last', message: 'is the only way to sign in' };
