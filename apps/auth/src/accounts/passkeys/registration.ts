import type { FieldError } from '@keydesk/server';
import {
  type AccountOperations,
  rejectInvalid,
  type SignInOwner,
  toValidationError,
} from '../account/account-operations.ts';
import { changeOwnFactors } from '../factors/change-factors.ts';
import type { FactorStore } from '../factors/factor-store.ts';
import type { Passkey } from '../factors/factors.ts';
import type { PasskeyChallenges } from './challenges.ts';
import type { RelyingParty } from './relying-party.ts';
import { parseRegistration } from './responses.ts';
import { type NewCredential, verifyRegistration } from './verification.ts';

export interface RegistrationOptions {
  operations: Pick<AccountOperations, 'requireCurrentSignIn'>;
  factors: FactorStore;
  challenges: PasskeyChallenges;
  /** `undefined` if browsers have no WebAuthn at the issuer. */
  relyingParty: RelyingParty | undefined;
  now: () => Date;
}

/** Passkey to add: the response of the browser to the options of a form. */
export interface PasskeyAddition {
  owner: SignInOwner;
  name: string;
  /** JSON. */
  response: string;
  /** Anti-forgery token of the form. */
  formToken: string;
}

export const MAX_PASSKEY_NAME = 60;
/** More than a person has authenticators; bounds the document. */
const MAX_PASSKEYS = 20;

/** Steps that add a passkey to an account. */
export function createRegistration(options: RegistrationOptions) {
  const { challenges, relyingParty, now } = options;

  return {
    /** Verifies the response to the options of a form. @throws {AppError} `validation_failed` */
    async verify(addition: Omit<PasskeyAddition, 'name'>): Promise<NewCredential> {
      const { response, formToken, owner } = addition;
      const claimed = parseRegistration(response);
      const scope = { purpose: 'registration', formToken, accountId: owner.id } as const;
      const isOurs = claimed !== undefined && (await challenges.redeem(claimed.challenge, scope));
      const credential = isOurs && relyingParty ? await verifyRegistration(claimed, relyingParty) : undefined;
      if (!credential) throw toValidationError([invalidResponse]);
      return credential;
    },
    /**
     * Stores a verified passkey and ends the trust in devices.
     *
     * @throws {AppError} `validation_failed`, or `forbidden` with the code `sign_in_ended`
     */
    async insert(owner: SignInOwner, name: string, credential: NewCredential): Promise<Passkey> {
      const passkey: Passkey = { ...credential, name, createdAt: now(), lastUsedAt: null };
      await changeOwnFactors(options, owner, ({ passkeys }) => {
        if (passkeys.length >= MAX_PASSKEYS) rejectInvalid([tooMany]);
        return { passkeys: [...passkeys, passkey], trustedDevices: [] };
      });
      return passkey;
    },
  };
}

/** Returns the name of a passkey as typed. @throws {AppError} `validation_failed` */
export function parsePasskeyName(typed: string): string {
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
  message: 'was not created, or was created too long ago; try again',
};
const tooMany: FieldError = {
  field: 'passkey',
  code: 'too_many',
  message: `exceeds the limit of ${MAX_PASSKEYS}`,
};
