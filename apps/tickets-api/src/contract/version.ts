/** Version of the API, sent as `API-Version` with every response. docs/versioning.md says when it changes. */
export const API_VERSION = '0.9.0';
