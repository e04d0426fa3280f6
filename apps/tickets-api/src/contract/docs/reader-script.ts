import { readFileSync } from 'node:fs';

const entry = new URL(import.meta.resolve('@scalar/fastify-api-reference'));
const { version } = JSON.parse(readFileSync(new URL('../package.json', entry), 'utf8'));

/** File name of the reader's script; it changes with every version of the package. */
export const readerScriptName = `scalar-${version}.js`;

interface PluginRoute {
  url: string;
  handler(request: undefined, reply: { header(): unknown; send(content: string): void }): unknown;
}

/**
 * Loads the script of the reader from its package. The Fastify plugin of Scalar bundles the script without the 290 packages
 * that it is built from; this function calls the plugin's route for the script.
 *
 * @throws {Error} when the plugin has no such route
 */
export async function loadReaderScript(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  let script: string | undefined;
  const server = {
    initialConfig: {},
    route({ url, handler }: PluginRoute) {
      if (!url.endsWith('/js/scalar.js')) return;
      const reply = {
        header: () => reply,
        send(content: string) {
          script = content;
        },
      };
      handler(undefined, reply);
    },
  };
  plugin(server, { configuration: { url: '/' } }, () => undefined);
  if (script === undefined) throw new Error('@scalar/fastify-api-reference has no route for its script.');
  return script;
}
