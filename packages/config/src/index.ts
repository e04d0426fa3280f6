export {
  type Config,
  ConfigError,
  describeConfig,
  describeFailure,
  type Environment,
  loadConfig,
  type Setting,
  type Settings,
  secret,
} from './config.ts';
export { serverSettings, toDrainSeconds } from './server-settings.ts';
export { findTelemetryConflicts, telemetrySettings, toTelemetryOptions } from './telemetry-settings.ts';
export { findTlsConflicts, tlsSettings, toTlsFiles } from './tls-settings.ts';
export { isLoopback, wholeNumber, yesOrNo } from './values.ts';
