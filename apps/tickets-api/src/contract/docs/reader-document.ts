import type { Config } from '../../config.ts';
import type { OAuthFlow, OpenApiDocument, OperationObject, PathItem } from '../openapi/document.ts';

/** Security scheme for pasting an existing token. */
const bearer = {
  type: 'http',
  scheme: 'bearer',
  description: 'An existing access token',
} as const;

/**
 * Adapts the document to the reader: without HEAD and OPTIONS, with a field for an existing token, and without sign-in
 * unless the operator has registered a client for it.
 */
export function toReaderDocument(
  document: OpenApiDocument,
  { docsClientId }: Pick<Config, 'docsClientId'>,
): object {
  const paths = Object.entries(document.paths).map(([path, item]) => [path, toReaderPath(item)]);
  const { oauth2 } = document.components.securitySchemes;
  const { clientCredentials, authorizationCode } = oauth2?.flows ?? {};
  const flows = {
    ...(docsClientId !== undefined &&
      authorizationCode && { authorizationCode: withPkce(authorizationCode) }),
    clientCredentials,
  };
  const scopes = Object.keys(clientCredentials?.scopes ?? {});
  return {
    ...document,
    tags: document.tags.map((tag) => ({ ...tag, 'x-displayName': capitalize(tag.name) })),
    externalDocs: { url: `${document.servers[0]?.url ?? ''}/docs`, description: 'Guides' },
    paths: Object.fromEntries(paths),
    components: {
      ...document.components,
      securitySchemes: { oauth2: { ...oauth2, flows, 'x-default-scopes': scopes }, bearer },
    },
  };
}

/** Enables PKCE (RFC 7636) by the extension of the reader. */
function withPkce<Flow extends OAuthFlow>(flow: Flow): Flow {
  return { ...flow, 'x-usePkce': 'SHA-256' };
}

function toReaderPath({ head: _, options: __, ...item }: PathItem): PathItem {
  const members = Object.entries(item).map(([name, member]) => [
    name,
    'operationId' in member ? withBearer(member) : member,
  ]);
  return Object.fromEntries(members);
}

function withBearer(operation: OperationObject): OperationObject {
  return { ...operation, security: [...(operation.security ?? []), { bearer: [] }] };
}

function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
