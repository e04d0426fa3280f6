export { ConfigError, describeConfig, loadConfig, type Setting, type Settings, secret } from './config.ts';
