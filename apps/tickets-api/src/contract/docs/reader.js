// Starts the reader. It sends requests only to this API and the authorization server: its web fonts, proxy, telemetry
// and services are off.

const element = document.querySelector('#reader');
const { clientId, redirectUri } = JSON.parse(element.dataset.settings);

const signIn = clientId && {
  'x-scalar-client-id': clientId,
  'x-scalar-redirect-uri': redirectUri,
};

globalThis.Scalar.createApiReference(element, {
  url: 'openapi.json',
  withDefaultFonts: false,
  proxyUrl: '',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  documentDownloadType: 'none',
  persistAuth: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  generateOperationSlug: ({ operationId, method, path }) => operationId ?? `${method}${path}`,
  authentication: {
    preferredSecurityScheme: signIn ? 'oauth2' : 'bearer',
    ...(signIn && { securitySchemes: { oauth2: { flows: { authorizationCode: signIn } } } }),
  },
});
