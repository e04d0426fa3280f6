export {
  type Config,
  ConfigError,
  describeConfig,
  type Environment,
  loadConfig,
  reasonOf,
  type Setting,
  type Settings,
  secret,
} from './config.ts';
export { drainSecondsOf, drainSettings } from './drain-settings.ts';
export { tlsFaults, tlsFilesOf, tlsSettings } from './tls-settings.ts';
export { logLevel, nodeEnvironment, wholeNumber, yesOrNo } from './values.ts';
