import type { Account } from '../account/account.ts';
import type { Origin } from '../account/account-event.ts';
import { type AccountOperations, rejectLink } from '../account/account-operations.ts';
import type { AccountStore } from '../account/account-store.ts';
import type { AuthenticationMethod } from '../account/authentication.ts';
import { endSignIns } from '../account/credential-epoch.ts';
import {
  type CredentialChangeOptions,
  changeCredentials,
  withProvenEmail,
} from '../credentials/change-credentials.ts';
import { toMethods } from './passkey-sign-in.ts';
import {
  createRegistration,
  type PasskeyAddition,
  parsePasskeyName,
  type RegistrationOptions,
} from './registration.ts';

export interface PasskeySignUpOptions extends RegistrationOptions, CredentialChangeOptions {
  operations: AccountOperations;
  store: AccountStore;
}

export type FirstPasskey = Omit<PasskeyAddition, 'owner'> & { token: string };

/** Sign-up without a password: the mailed link creates the first passkey, and so verifies the address. */
export interface PasskeySignUp {
  /** Returns the account of a link. @throws {AppError} `invalid_request` with the code `link_invalid` */
  inspectPasskeySignUp(token: string): Promise<Account>;
  /**
   * Creates the first passkey and verifies the address; the user is then authenticated by it.
   *
   * @throws {AppError} `invalid_request` with the code `link_invalid`, or `validation_failed`, which does not redeem
   *   the token
   */
  completePasskeySignUp(
    passkey: FirstPasskey,
    origin: Origin,
  ): Promise<{ account: Account; name: string; methods: readonly AuthenticationMethod[] }>;
}

export function createPasskeySignUp(options: PasskeySignUpOptions): PasskeySignUp {
  const { operations, store, factors } = options;
  const { verify, insert } = createRegistration(options);

  /** A link is invalid once its account is verified or can sign in. */
  async function inspect(token: string): Promise<Account> {
    const { accountId, email } = await operations.inspectToken(token, 'create_passkey');
    const account = await store.find(accountId);
    if (!account || !isAwaitingPasskey(account, email)) return rejectLink();
    const hasPasskey = ((await factors.find(accountId))?.passkeys.length ?? 0) > 0;
    return hasPasskey ? rejectLink() : account;
  }

  return {
    inspectPasskeySignUp: inspect,
    async completePasskeySignUp({ token, ...addition }, origin) {
      const owner = await inspect(token);
      const { id: accountId, email } = owner;
      const name = parsePasskeyName(addition.name);
      const credential = await verify({ ...addition, owner });
      await operations.redeemToken(token, 'create_passkey');
      // A stranger may have opened the account with an identity of a provider, and set an authenticator app up.
      const changed = await changeCredentials(options, accountId, (stored) => {
        if (!isAwaitingPasskey(stored.account, email)) return rejectLink();
        const { account, ...others } = withProvenEmail(stored);
        return { ...others, account: endSignIns(account, {}, options.now()) };
      });
      const { account } = changed.after;
      await operations.recordEvent('account.email_verified', accountId, origin);
      const passkey = await insert(account, name, credential);
      await operations.recordEvent('account.passkey_added', accountId, origin);
      return { account, name: passkey.name, methods: toMethods(passkey) };
    },
  };
}

function isAwaitingPasskey(account: Account, email: string): boolean {
  const { status, emailVerified, passwordHash } = account;
  return status === 'active' && account.email === email && !emailVerified && passwordHash === null;
}
