export { findAxeViolations } from './checks/axe-violations.ts';
export { measureCpuMs } from './checks/cpu-time.ts';
export { assertNoSecrets } from './checks/no-secrets.ts';
export { readCommandLine, readCount, refuseCommandLine } from './programs/command-line.ts';
export {
  type Ended,
  type Program,
  type ProgramOptions,
  startProgram,
  untilReady,
} from './programs/program.ts';
export { recordModules } from './programs/recorded-modules.ts';
export { type LoadOptions, type LoadReport, type SteadyLoad, startLoad } from './programs/steady-load.ts';
export { processesThatLogged } from './programs/worker-log.ts';
export { createCertificate, type TestCertificate } from './servers/certificate.ts';
export {
  type CommandInTransit,
  type CommandProxy,
  type CommandRule,
  startCommandProxy,
} from './servers/command-proxy.ts';
export { findFreePort, isListening } from './servers/free-port.ts';
export {
  type CollectedSpan,
  type OtlpCollector,
  startOtlpCollector,
} from './servers/otlp-collector.ts';
export { withPatience } from './servers/patient-storage.ts';
export { type RedisServer, type RedisServerOptions, startRedis } from './servers/redis-server.ts';
export { describeWith, findService, type Service } from './servers/services.ts';
export { startTcpProxy, type TcpProxy, type TcpProxyOptions } from './servers/tcp-proxy.ts';
export {
  createDpopKey,
  type DpopKey,
  type DpopKeyOptions,
  type ProofAlgorithm,
  type ProofOverrides,
  type ProvenRequest,
} from './tokens/dpop-key.ts';
export {
  createSigningKey,
  encodeToken,
  type JwksAnswer,
  type SigningKey,
  signEs256,
  startTestIssuer,
  type TestIssuer,
  type TestIssuerOptions,
  type TokenOverrides,
} from './tokens/test-issuer.ts';
export { useStarted } from './use-started.ts';
