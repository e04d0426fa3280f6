import { type Config, yesOrNo } from '@keydesk/config';
import { hostList } from './host-list.ts';

/** Settings of client ID metadata documents. */
export const clientDocumentSettings = {
  acceptsClientDocuments: {
    env: 'CLIENT_ID_METADATA_DOCUMENTS',
    schema: yesOrNo
      .default(true)
      .describe(
        'Whether a `client_id` may be the https URL of a document that describes an unregistered client',
      ),
  },
  clientDocumentAllowedHosts: {
    env: 'CLIENT_ID_METADATA_DOCUMENT_ALLOWED_HOSTS',
    schema: hostList.describe(
      'Hosts whose client documents are accepted, such as `app.example *.example.com`; default: every host',
    ),
  },
  clientDocumentDeniedHosts: {
    env: 'CLIENT_ID_METADATA_DOCUMENT_DENIED_HOSTS',
    schema: hostList.describe(
      'Hosts whose client documents are rejected, even if the other list allows them',
    ),
  },
} as const;

export type ClientDocumentConfig = Config<typeof clientDocumentSettings>;
