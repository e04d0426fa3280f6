export { findAxeViolations } from './axe-violations.ts';
export { createCertificate, type TestCertificate } from './certificate.ts';
export { readCommandLine, readCount, refuseCommandLine } from './command-line.ts';
export {
  createDpopKey,
  type DpopKey,
  type DpopKeyOptions,
  type ProofAlgorithm,
  type ProofOverrides,
  type ProvenRequest,
} from './dpop-key.ts';
export { findFreePort, isListening } from './free-port.ts';
export { assertNoSecrets } from './no-secrets.ts';
export {
  type CollectedSpan,
  type OtlpCollector,
  startOtlpCollector,
} from './otlp-collector.ts';
export {
  type Ended,
  type Program,
  type ProgramOptions,
  startProgram,
  untilReady,
} from './program.ts';
export { type RedisServer, type RedisServerOptions, startRedis } from './redis-server.ts';
export { describeWith, findService, type Service } from './services.ts';
export { type LoadOptions, type LoadReport, type SteadyLoad, startLoad } from './steady-load.ts';
export { startTcpProxy, type TcpProxy, type TcpProxyOptions } from './tcp-proxy.ts';
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
} from './test-issuer.ts';
export { useStarted } from './use-started.ts';
export { processesThatLogged } from './worker-log.ts';
