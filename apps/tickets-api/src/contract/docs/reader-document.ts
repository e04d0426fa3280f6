import type { Config } from '../../config.ts';
import type { OAuthFlow, OpenApiDocument, OperationObject, PathItem } from '../openapi/document.ts';

/** A token that was obtained elsewhere, to paste. */
const bearer = {
  type: 'http',
  scheme: 'bearer',
  description: 'An access token that you have already.',
} as const;

/**
 * The document as the reader shows it: without HEAD and OPTIONS, which say nothing of their own; with a field for a token
 * that people have already; and without the sign-in unless the operator has registered a client for it.
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

/** The reader's own word for RFC 7636. */
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
