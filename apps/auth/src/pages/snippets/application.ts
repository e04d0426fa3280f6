import type { ApplicationType, ClientAuthMethod } from '../../clients/client.ts';
import { isApiScope } from '../../scopes.ts';
import type { SnippetServer } from '../views/applications.ts';

/** The facts about an application that its snippets depend on. */
export interface SnippetApplication {
  id: string;
  type: ApplicationType;
  authMethod: ClientAuthMethod;
  redirectUris: readonly string[];
  scopes: readonly string[];
}

/** An application that signs people in, with the redirect URI that its snippet uses. */
export type PersonApplication = SnippetApplication & { redirectUri: string };

export function mayReadTickets({ scopes }: SnippetApplication): boolean {
  return scopes.includes('tickets:read');
}

/** Whether its tokens are for the userinfo endpoint, and not for the API. */
export function isAboutPeopleOnly({ scopes }: SnippetApplication): boolean {
  return scopes.includes('openid') && !scopes.some(isApiScope);
}

/** The address that the token of the application is tried at, if there is one. */
export function resourceOf(application: SnippetApplication, server: SnippetServer): string | undefined {
  if (isAboutPeopleOnly(application)) return server.userinfoEndpoint;
  return mayReadTickets(application) ? server.exampleUrl : undefined;
}

export function usesSecret({ authMethod }: SnippetApplication): boolean {
  return authMethod !== 'none';
}

/** A string literal of Python, Go, Java, Swift and YAML. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}
