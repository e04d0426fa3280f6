/** Version of the API, sent as `API-Version` with every answer. docs/versioning.md says when it changes. */
export const API_VERSION = '0.9.0';
