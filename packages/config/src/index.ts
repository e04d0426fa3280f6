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
export { drainSecondsOf, serverSettings } from './server-settings.ts';
export { findTelemetryConflicts, telemetryOf, telemetrySettings } from './telemetry-settings.ts';
export { findTlsConflicts, tlsFilesOf, tlsSettings } from './tls-settings.ts';
export { isLoopback, wholeNumber, yesOrNo } from './values.ts';
