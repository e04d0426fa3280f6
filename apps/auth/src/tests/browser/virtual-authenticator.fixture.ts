import type { Page } from 'playwright-core';

/** Makes a browser without passkeys in the suggestions of fields; the virtual authenticator accepts these at once. */
export const WITHOUT_SUGGESTIONS = 'PublicKeyCredential.isConditionalMediationAvailable = async () => false';

/** Chromium's authenticator for tests (WebAuthn Level 3 §11). */
export interface VirtualAuthenticator {
  /** Number of its passkeys. */
  countPasskeys(): Promise<number>;
  /** Whether the fingerprint or PIN of the user is right. */
  setVerified(isVerified: boolean): Promise<void>;
}

/** Adds an authenticator inside the device to a page; its passkeys are synced. */
export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      defaultBackupEligibility: true,
      defaultBackupState: true,
    },
  });
  return {
    async countPasskeys() {
      const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
      return credentials.length;
    },
    async setVerified(isUserVerified) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
  };
}
