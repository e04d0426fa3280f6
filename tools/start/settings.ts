import { type Config, type Environment, tlsSettings } from '@keydesk/config';
import { toMongoDatabase } from '@keydesk/storage/url';
import { z } from 'zod';

const port = z.coerce.number({ error: 'must be a port number' }).int().min(1).max(65_535);

/** Settings of `npm start` itself; all other variables are passed to both apps. */
export const settings = {
  authPort: { env: 'AUTH_PORT', schema: port.default(3000).describe('Port of the authorization server') },
  apiPort: { env: 'API_PORT', schema: port.default(3001).describe('Port of the helpdesk API') },
  host: { env: 'HOST', schema: z.string().default('127.0.0.1').describe('Listen address of both apps') },
  ...tlsSettings,
  metricsPort: {
    env: 'METRICS_PORT',
    schema: port
      .optional()
      .describe("Port of the authorization server's metrics; the API uses the next port"),
  },
  dataDir: {
    env: 'DATA_DIR',
    schema: z.string().default('./data').describe('Folder of the databases and the development secret'),
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
        (url) => toMongoDatabase(url) === undefined,
        'must not name a database, because each app has its own (use authSource=… for authentication)',
      )
      .optional()
      .describe('MongoDB server of both apps; each has its own database'),
  },
} as const;

/** Rejects STORAGE_URL: both apps would share it, so `npm start` sets one per app and would ignore it. */
export function refuseStorageUrl(env: Environment): string[] {
  const given = ['STORAGE_URL', 'STORAGE_URL_FILE'].filter((name) => env[name]);
  return given.map(
    (name) => `${name}: applies to one app only; to configure both, set DATA_DIR or MONGODB_URL`,
  );
}

/** Rejects equal ports of both apps. */
export function refuseSharedPort({ authPort, apiPort }: Partial<Config<typeof settings>>): string[] {
  return authPort === apiPort ? ['AUTH_PORT and API_PORT: must differ'] : [];
}
