import { z } from 'zod';
import { type Config, secret } from './config.ts';
import { isLoopback, yesOrNo } from './values.ts';

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const ratioError = 'must be a number from 0 to 1';

/** Settings of traces, by the names of OpenTelemetry. */
export const telemetrySettings = {
  otlpEndpoint: {
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    schema: z
      .url({ protocol: /^https?$/, hostname: /./, error: 'must be an http or https URL' })
      .optional()
      .describe(
        'Base URL of an OpenTelemetry collector that receives traces by OTLP/HTTP; default: no traces',
      ),
  },
  otlpHeaders: {
    env: 'OTEL_EXPORTER_OTLP_HEADERS',
    schema: secret(z.string().transform(toPairs).optional()).describe(
      'Headers for the collector, as `name=value,…` with percent-encoded values',
    ),
  },
  otelServiceName: {
    env: 'OTEL_SERVICE_NAME',
    schema: z
      .string()
      .optional()
      .describe('Name of the service in traces; default: `keydesk-auth` or `keydesk-api`'),
  },
  otelResourceAttributes: {
    env: 'OTEL_RESOURCE_ATTRIBUTES',
    schema: z
      .string()
      .transform(toPairs)
      .optional()
      .describe(
        'Additional attributes of the service in traces, such as `deployment.environment.name=production`',
      ),
  },
  tracesSampler: {
    env: 'OTEL_TRACES_SAMPLER',
    schema: z
      .enum(samplers, `must be one of ${samplers.join(', ')}`)
      .default('parentbased_always_on')
      .describe('Sampler that selects the traces to record, as OpenTelemetry names it'),
  },
  tracesSamplerRatio: {
    env: 'OTEL_TRACES_SAMPLER_ARG',
    schema: z.coerce
      .number(ratioError)
      .min(0, ratioError)
      .max(1, ratioError)
      .default(1)
      .describe('Fraction of traces that the `…traceidratio` samplers record (0 to 1)'),
  },
  trustsTraceContext: {
    env: 'TRUST_TRACE_CONTEXT',
    schema: yesOrNo
      .default(false)
      .describe(
        'Whether requests continue the trace in their `traceparent` header; use it only behind your own proxy that sets the header',
      ),
  },
} as const;

type TelemetryConfig = Config<typeof telemetrySettings>;

/** Returns the conflicts of the settings of traces: their headers are secret. */
export function findTelemetryConflicts(config: Partial<TelemetryConfig>): string[] {
  const { otlpEndpoint: endpoint, otlpHeaders } = config;
  const isReadable = endpoint?.startsWith('http:') && !isLoopback(endpoint);
  return otlpHeaders !== undefined && isReadable
    ? [`${telemetrySettings.otlpEndpoint.env}: must be https because OTEL_EXPORTER_OTLP_HEADERS is set`]
    : [];
}

/** Returns collector and content of the traces; `undefined` if there is no collector. */
export function toTelemetryOptions(
  config: TelemetryConfig,
  { serviceName, peers }: { serviceName: string; peers: readonly string[] },
) {
  const { otlpEndpoint: endpoint, otlpHeaders, otelServiceName, otelResourceAttributes } = config;
  if (endpoint === undefined) return undefined;
  return {
    endpoint,
    headers: otlpHeaders ?? {},
    serviceName: otelServiceName ?? serviceName,
    resourceAttributes: otelResourceAttributes ?? {},
    sampler: config.tracesSampler,
    samplerRatio: config.tracesSamplerRatio,
    trustsTraceContext: config.trustsTraceContext,
    peers,
  };
}

/** Reads `name=value,…` with percent-encoded values (OpenTelemetry, environment variables). */
function toPairs(text: string, ctx: z.RefinementCtx): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const part of text.split(',').filter((each) => each.trim() !== '')) {
    const [, name, value] = /^\s*([\w.!#$%&'*+^`|~-]+)\s*=(.*)$/s.exec(part) ?? [];
    const decoded = name === undefined ? undefined : tryDecode(value ?? '');
    if (name === undefined || decoded === undefined) {
      // The text is not repeated, because it may be a secret.
      ctx.addIssue('must be name=value pairs, separated by commas, with percent-encoded values');
      return z.NEVER;
    }
    pairs[name] = decoded;
  }
  return pairs;
}

function tryDecode(value: string): string | undefined {
  try {
    return decodeURIComponent(value.trim());
  } catch {
    return undefined;
  }
}
