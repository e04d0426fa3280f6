import { type Config, type Environment, tlsSettings } from '@keydesk/config';
import { databaseOf } from '@keydesk/storage/url';
import { z } from 'zod';

const port = z.coerce.number({ error: 'must be a port number' }).int().min(1).max(65_535);

/** What `npm start` itself reads; everything else in the environment reaches the two apps as it is. */
export const settings = {
  authPort: { env: 'AUTH_PORT', schema: port.default(3000).describe('Port of the authorization server') },
  apiPort: { env: 'API_PORT', schema: port.default(3001).describe('Port of the helpdesk API') },
  host: { env: 'HOST', schema: z.string().default('127.0.0.1').describe('Address that both listen on') },
  ...tlsSettings,
  metricsPort: {
    env: 'METRICS_PORT',
    schema: port.optional().describe("Port of the authorization server's metrics; the API's are on the next"),
  },
  dataDir: {
    env: 'DATA_DIR',
    schema: z.string().default('./data').describe('Folder of the databases and of the development secret'),
  },
  logLevel: {
    env: 'LOG_LEVEL',
    schema: z.string().default('warn').describe('Minimum log level of both apps; info logs each request'),
  },
  mongodbUrl: {
    env: 'MONGODB_URL',
    schema: z
      .string()
      .regex(/^mongodb(\+srv)?:\/\/./, 'must begin with mongodb:// or mongodb+srv://')
      .refine(
        (url) => databaseOf(url) === undefined,
        'must name no database, for each app has one of its own (for signing in there is authSource=…)',
      )
      .optional()
      .describe('Puts both apps on MongoDB, each in a database of its own'),
  },
} as const;

/** What would be the database of both apps is overruled for each, and somebody would look for their data there. */
export function refuseStorageUrl(env: Environment): string[] {
  const given = ['STORAGE_URL', 'STORAGE_URL_FILE'].filter((name) => env[name]);
  return given.map(
    (name) => `${name}: is for one app alone; both are put elsewhere by DATA_DIR or MONGODB_URL`,
  );
}

/** Two servers cannot listen on one port. */
export function refuseSharedPort({ authPort, apiPort }: Partial<Config<typeof settings>>): string[] {
  return authPort === apiPort ? ['AUTH_PORT and API_PORT: must differ'] : [];
}
