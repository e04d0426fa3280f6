import type { Telemetry, TelemetryOptions } from './open-telemetry.ts';

/**
 * Starts tracing; without options, resolves with `undefined`. OpenTelemetry is loaded only here, so that a program
 * without a collector does not pay for it.
 */
export async function loadTelemetry(options: TelemetryOptions | undefined): Promise<Telemetry | undefined> {
  if (options === undefined) return undefined;
  const { openTelemetry } = await import('./open-telemetry.ts');
  return openTelemetry(options);
}
