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
export { drainSecondsOf, drainSettings } from './drain-settings.ts';
export { findTlsConflicts, tlsFilesOf, tlsSettings } from './tls-settings.ts';
export { logLevel, nodeEnvironment, wholeNumber, yesOrNo } from './values.ts';
