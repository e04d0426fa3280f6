import { join } from 'node:path';
import { type Environment, loadConfig } from '@keydesk/config';
import { toDataDir } from '@keydesk/storage/url';
import { pino } from 'pino';
import { accountSettings } from '../../accounts/account/settings.ts';
import { createCommonPasswords } from '../../accounts/passwords/password-policy.ts';
import { createDirectAudit } from '../../audit/audit.ts';
import { type AccountServices, createAccountServices } from '../../composition/accounts.ts';
import { issuerOf, settings } from '../../config.ts';
import type { DerivedKeys } from '../../keys/derived-keys.ts';
import { mailSettings } from '../../mail/settings.ts';
import type { Storage } from '../../storage/storage.ts';
import { identityProviderSettings, toIdentityProviders } from '../../web/upstream/provider-file.ts';

/**
 * Reads the settings of the accounts for a command, and returns a function that creates them.
 *
 * @throws {ConfigError}
 */
export function prepareAccountServices(
  env: Environment,
): (parts: { storage: Storage; derived: DerivedKeys }) => AccountServices {
  const { host, port, issuer, tlsCertFile, serviceName, brandColor, securityEventRetentionDays } = settings;
  const own = { host, port, issuer, tlsCertFile, serviceName, brandColor, securityEventRetentionDays };
  const needed = { ...own, ...accountSettings, ...mailSettings, ...identityProviderSettings };
  const config = loadConfig(needed, { MAIL_FOLDER: join(toDataDir(env), 'mail'), ...env });
  const identityProviders = toIdentityProviders(config.identityProviderFile, env);
  return ({ storage, derived }) =>
    createAccountServices({
      config: { ...config, issuer: issuerOf(config), identityProviders },
      storage,
      log: pino({ enabled: false }),
      commonPasswords: createCommonPasswords(),
      derived,
      now: () => new Date(),
      audit: createDirectAudit(storage.audit),
    });
}
