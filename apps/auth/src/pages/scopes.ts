import { isApiScope } from '../values/scopes.ts';
import type { IconName } from './icons.ts';
import type { MessageKey, Translator } from './messages.ts';

type ScopeMessage = Exclude<Extract<MessageKey, `scope.${string}`>, 'scope.other'>;

interface ScopeEntry {
  icon: IconName;
  title: ScopeMessage;
  detail: ScopeMessage;
}

/** Description of a permission for users. */
export interface ScopeDescription {
  icon: IconName;
  title: string;
  detail: string;
}

/** Scopes with a description in the catalogue. */
const scopes: Readonly<Record<string, ScopeEntry>> = {
  openid: { icon: 'badge', title: 'scope.openid', detail: 'scope.openid_detail' },
  profile: { icon: 'user', title: 'scope.profile', detail: 'scope.profile_detail' },
  email: { icon: 'mail', title: 'scope.email', detail: 'scope.email_detail' },
  address: { icon: 'home', title: 'scope.address', detail: 'scope.address_detail' },
  phone: { icon: 'phone', title: 'scope.phone', detail: 'scope.phone_detail' },
  offline_access: { icon: 'clock', title: 'scope.offline_access', detail: 'scope.offline_access_detail' },
  'tickets:read': { icon: 'eye', title: 'scope.tickets_read', detail: 'scope.tickets_read_detail' },
  'tickets:write': { icon: 'pencil', title: 'scope.tickets_write', detail: 'scope.tickets_write_detail' },
  'tickets:delete': { icon: 'trash', title: 'scope.tickets_delete', detail: 'scope.tickets_delete_detail' },
};

/** Identity claims that every access token for the API contains, whatever the other scopes. */
const identity: ScopeEntry = { icon: 'user', title: 'scope.identity', detail: 'scope.identity_detail' };

/** Describes scopes that are granted together. Adds the identity claims if one of them is for the API. */
export function describeScopes(names: readonly string[], translator: Translator): ScopeDescription[] {
  const descriptions = names.map((name) => describeScope(name, translator));
  const isCovered = names.includes('profile') && names.includes('email');
  return isCovered || !names.some(isApiScope)
    ? descriptions
    : [...descriptions, toDescription(identity, translator)];
}

/** Describes a scope; without a text in the catalogue, by its name. */
export function describeScope(name: string, translator: Translator): ScopeDescription {
  const entry = Object.hasOwn(scopes, name) ? scopes[name] : undefined;
  if (entry !== undefined) return toDescription(entry, translator);
  const { text } = translator;
  return { icon: 'key', title: text('scope.other', { scope: name }), detail: text('scope.other_detail') };
}

function toDescription({ icon, title, detail }: ScopeEntry, { text }: Translator): ScopeDescription {
  return { icon, title: text(title), detail: text(detail) };
}
