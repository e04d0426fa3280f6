import { Module } from 'node:module';

// Reports at exit whether a package of OpenTelemetry was loaded, except for its interfaces, which prom-client imports.
// They are CommonJS, so that they are in its cache.
const { _cache: loaded } = Module as unknown as { _cache: Record<string, unknown> };
process.once('exit', () => {
  const isLoaded = Object.keys(loaded).some((path) => /@opentelemetry\/(?!api\/)/.test(path));
  process.stderr.write(`OpenTelemetry loaded: ${isLoaded}\n`);
});
