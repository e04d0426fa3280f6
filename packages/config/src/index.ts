export {
  type Config,
  ConfigError,
  describeConfig,
  type Environment,
  loadConfig,
  type Setting,
  type Settings,
  secret,
} from './config.ts';
