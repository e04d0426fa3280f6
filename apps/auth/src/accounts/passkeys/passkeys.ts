import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { createPasskeyChallenges } from './challenges.ts';
import { createPasskeyChanges, type PasskeyChanges, type PasskeyChangesOptions } from './passkey-changes.ts';
import { createPasskeySignIn, type PasskeySignIn, type PasskeySignInOptions } from './passkey-sign-in.ts';
import { createPasskeySignUp, type PasskeySignUp, type PasskeySignUpOptions } from './passkey-sign-up.ts';

export type PasskeysOptions = Omit<
  PasskeyChangesOptions & PasskeySignInOptions & PasskeySignUpOptions,
  'challenges'
> & {
  storage: { artifacts: Pick<ArtifactStore, 'insertOnce'> };
  /** 32 bytes, derived only for this purpose. */
  challengeKey: Uint8Array;
};

/** All use cases of passkeys. */
export type Passkeys = PasskeyChanges & PasskeySignIn & PasskeySignUp;

export function createPasskeys(options: PasskeysOptions): Passkeys {
  const { storage, challengeKey: key, now } = options;
  const challenges = createPasskeyChallenges({ artifacts: storage.artifacts, key, now });
  return {
    ...createPasskeyChanges({ ...options, challenges }),
    ...createPasskeySignIn({ ...options, challenges }),
    ...createPasskeySignUp({ ...options, challenges }),
  };
}
