import { AppError, type FieldError } from '@keydesk/server';
import type { InitialAccessToken, InitialAccessTokenStore } from './initial-access-token-store.ts';
import { createOpaqueToken, toDigest } from './opaque-token.ts';

export interface InitialAccessTokensOptions {
  store: InitialAccessTokenStore;
  now: () => Date;
  newId: () => string;
}

export interface InitialAccessTokenRequest {
  name: string;
  /** Number of clients that it can register. */
  uses: number;
  lifeSeconds: number;
}

/** Manages initial access tokens for operators. */
export interface InitialAccessTokens {
  /** Creates a token, which is returned only once. @throws {AppError} `validation_failed` listing every fault */
  add(request: InitialAccessTokenRequest): Promise<{ stored: InitialAccessToken; token: string }>;
  list(): Promise<readonly InitialAccessToken[]>;
  /** Revokes a token. Clients that it registered stay. @throws {AppError} `not_found` */
  revoke(id: string): Promise<void>;
}

const MAX_USES = 1_000;
const MAX_LIFE_SECONDS = 366 * 86_400;

export function createInitialAccessTokens(options: InitialAccessTokensOptions): InitialAccessTokens {
  const { store, now, newId } = options;
  return {
    async add(request) {
      requireValid(request);
      const token = createOpaqueToken('initial');
      const at = now();
      const stored = {
        id: newId(),
        digest: toDigest(token),
        name: request.name.trim(),
        usesLeft: request.uses,
        createdAt: at,
        expiresAt: new Date(at.getTime() + request.lifeSeconds * 1000),
      };
      await store.insert(stored);
      return { stored, token };
    },
    list: store.list,
    async revoke(id) {
      if (!(await store.remove(id)))
        throw new AppError('not_found', `Initial access token ${id} does not exist.`);
    },
  };
}

function requireValid({ name, uses, lifeSeconds }: InitialAccessTokenRequest): void {
  const checks: [isFaulty: boolean, field: string, message: string][] = [
    [!/^\P{Cc}{1,100}$/u.test(name.trim()), 'name', 'needs 1 to 100 printable characters'],
    [!(Number.isInteger(uses) && uses >= 1 && uses <= MAX_USES), 'uses', `must be 1 to ${MAX_USES}`],
    [!(lifeSeconds > 0 && lifeSeconds <= MAX_LIFE_SECONDS), 'expires_in', 'must be at most 366 days'],
  ];
  const errors = checks
    .filter(([isFaulty]) => isFaulty)
    .map(([, field, message]): FieldError => ({ field, code: 'invalid', message }));
  if (errors.length === 0) return;
  const message = errors.map((error) => `${error.field} ${error.message}`).join('; ');
  throw new AppError('validation_failed', `Invalid initial access token: ${message}.`, { errors });
}
