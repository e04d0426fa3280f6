import { createTokenStatusList, type Jwks, type TokenStatusList } from '@keydesk/access-token';
import type { Metrics } from '@keydesk/server';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';

export interface StatusListDeps {
  config: Pick<Config, 'issuer' | 'tokenStatusListUrl'>;
  jwks: Jwks;
  log: Logger;
  metrics?: Metrics | undefined;
}

/** Creates the list of revoked access tokens, with a metric of its age; `undefined` if it is switched off. */
export function openStatusList({ config, jwks, log, metrics }: StatusListDeps): TokenStatusList | undefined {
  const { issuer, tokenStatusListUrl: url } = config;
  if (url === 'none') return undefined;
  const uri = new URL('token-status-list', `${issuer.replace(/\/$/, '')}/`).href;
  const list = createTokenStatusList({ issuer, uri, url, jwks, log });
  metrics?.gauge(
    'api_token_status_list_age_seconds',
    'Age of the list of revoked access tokens; absent while no token needs it',
    list.ageSeconds,
    'max',
  );
  return list;
}

/** Returns the member of `/readyz` with the age of the list. An old list does not make the API unready. */
export function describeStatusList(list: TokenStatusList | undefined) {
  return () => {
    const age = list?.ageSeconds();
    return age === undefined ? {} : { token_status_list_age_seconds: Math.round(age) };
  };
}
