import type { RedisConnection } from '@keydesk/rate-limit';
import type { Metrics } from '@keydesk/server';
import type { Logger } from 'pino';
import type { Audit } from '../audit/audit.ts';
import type { AuthConfig } from '../config.ts';
import type { DerivedKeys } from '../keys/derived-keys.ts';
import type { Storage } from '../storage/storage.ts';

/** Dependencies that every area may use. */
export interface SharedDeps {
  config: AuthConfig;
  storage: Storage;
  log: Logger;
  now: () => Date;
  redis: RedisConnection | undefined;
  metrics: Metrics | undefined;
  derived: DerivedKeys;
  audit: Audit;
}
