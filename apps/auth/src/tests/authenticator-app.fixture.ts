import { TOTP } from 'otpauth';
import type { Browser, Page } from './browser.fixture.ts';
import type { TestServer } from './test-server.fixture.ts';

/** An authenticator app on a phone. Each of its codes is of a later time step than the one before. */
export interface AuthenticatorApp {
  currentCode(): string;
  /** Returns the next code; the clock of the server follows. */
  nextCode(): string;
  /** Returns a code that the app does not show. */
  wrongCode(): string;
  /**
   * Returns the code of a time step, counted from the current one, at whose beginning the clock of the server is set.
   */
  codeOf(steps: number): string;
}

const PERIOD_MS = 30_000;

/** Reads the secret from a set-up page, as a user types it. */
function readSecret(page: Page): string {
  const secret = /id="secret" value="([A-Z2-7]+)"/.exec(page.html)?.[1];
  if (secret === undefined) throw new Error(`No secret in ${page.html}`);
  return secret;
}

export function createApp(secret: string, { time }: Pick<TestServer, 'time'>): AuthenticatorApp {
  const totp = new TOTP({ secret });
  const at = (steps: number) => totp.generate({ timestamp: Date.now() + time.ahead + steps * PERIOD_MS });
  return {
    currentCode: () => at(0),
    nextCode() {
      time.ahead += PERIOD_MS;
      return at(0);
    },
    codeOf(steps) {
      time.ahead += PERIOD_MS - ((Date.now() + time.ahead) % PERIOD_MS);
      return at(steps);
    },
    wrongCode() {
      const right = [-2, -1, 0, 1, 2].map(at);
      return (
        ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.includes(code)) ??
        ''
      );
    },
  };
}

/** Sets an authenticator app up on a page that shows its secret. */
export async function setUpApp(
  browser: Browser,
  page: Page,
  server: Pick<TestServer, 'time'>,
): Promise<{ app: AuthenticatorApp; shown: Page; recoveryCodes: string[] }> {
  const app = createApp(readSecret(page), server);
  const shown = await browser.submit(page, 'set-up-totp', { code: app.currentCode() });
  return { app, shown, recoveryCodes: shown.html.match(/\b(?:[0-9A-Z]{4}-){5}[0-9A-Z]{4}\b/g) ?? [] };
}
