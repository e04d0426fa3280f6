import { describe, expect, it } from 'vitest';
import { findTelemetryConflicts, loadConfig, telemetrySettings, toTelemetryOptions } from './index.ts';

const program = { serviceName: 'keydesk-test', peers: [] };
const load = (env: Readonly<Record<string, string>>) =>
  loadConfig(telemetrySettings, env, findTelemetryConflicts);

describe('the settings of traces (OpenTelemetry, environment variables)', () => {
  it('are off without a collector', () => {
    expect(toTelemetryOptions(load({ OTEL_SERVICE_NAME: 'x' }), program)).toBeUndefined();
  });

  it('have the names and defaults of the standard', () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318';
    expect(toTelemetryOptions(load({ OTEL_EXPORTER_OTLP_ENDPOINT }), program)).toEqual({
      endpoint: OTEL_EXPORTER_OTLP_ENDPOINT,
      headers: {},
      serviceName: 'keydesk-test',
      resourceAttributes: {},
      sampler: 'parentbased_always_on',
      samplerRatio: 1,
      trustsTraceContext: false,
      peers: [],
    });
    const all = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%2Cb, x=1=2',
      OTEL_SERVICE_NAME: 'auth',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      TRUST_TRACE_CONTEXT: 'true',
    };
    expect(toTelemetryOptions(load(all), program)).toMatchObject({
      headers: { 'api-key': 'a,b', x: '1=2' },
      serviceName: 'auth',
      resourceAttributes: { 'deployment.environment.name': 'test' },
      sampler: 'traceidratio',
      samplerRatio: 0.25,
      trustsTraceContext: true,
    });
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'http or https URL'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2', 'name=value pairs'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'key=%E0%A4%A', 'name=value pairs'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'one of always_on'],
    ['OTEL_TRACES_SAMPLER_ARG', '2', 'from 0 to 1'],
  ])('%s=%s is refused without repeating it', (name, value, reason) => {
    expect(() => load({ [name]: value })).toThrow(reason);
    expect(() => load({ [name]: value })).not.toThrow('hunter2');
  });

  it('send headers, which are secret, to another machine only over https', () => {
    const OTEL_EXPORTER_OTLP_HEADERS = 'api-key=1';
    const at = (OTEL_EXPORTER_OTLP_ENDPOINT: string) => () =>
      load({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS });
    expect(at('http://collector.example:4318')).toThrow('must be https');
    expect(at('http://127.0.0.1:4318')).not.toThrow();
    expect(at('https://collector.example')).not.toThrow();
  });
});
