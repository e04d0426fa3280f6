export { AppError, type AppErrorOptions, catalogue, type ErrorCode, type FieldError } from '@keydesk/errors';
export { batchResponses } from './fast/batch-responses.ts';
export { lazyModule } from './fast/lazy-module.ts';
export { clientAddress, trustProxyHops } from './http/client-address.ts';
export { errorResponses, type RenderProblem } from './http/error-responses.ts';
export { escapeHtml } from './http/escape-html.ts';
export { createHealth, type Health, type HealthOptions, type ReadinessCheck } from './http/health.ts';
export { joinMiddleware } from './http/join-middleware.ts';
export {
  isReservedName,
  type JsonFault,
  type JsonLimits,
  JsonTextError,
  parseJson,
} from './http/parse-json.ts';
export { type Problem, toAppError, toErrorHeaders, toProblem } from './http/problem.ts';
export { readBody } from './http/read-body.ts';
export { apiSecurityHeaders } from './http/security-headers.ts';
export { toBindError } from './listening/bind-error.ts';
export type { CertificateOptions } from './listening/certificate.ts';
export { type Listening, type ListenOptions, listen } from './listening/listen.ts';
export { type OpenWhenAvailableOptions, openWhenAvailable } from './listening/open-when-available.ts';
export { createLogger, type LoggerOptions } from './log/logger.ts';
export { requestLog } from './log/request-log.ts';
export { openStandardOutput } from './log/standard-output.ts';
export { createThrottle } from './log/throttle.ts';
export { createMetrics, type Metrics } from './metrics/metrics.ts';
export { observeStores, type StoreCall } from './metrics/observe-stores.ts';
export { loadTelemetry } from './telemetry/load-telemetry.ts';
export type { SamplerName, Telemetry, TelemetryOptions } from './telemetry/open-telemetry.ts';
export { type LeasedTaskOptions, type LeaseStore, runWithLease } from './workers/leased-task.ts';
export { type RepeatingTask, type RepeatOptions, repeatTask } from './workers/repeat-task.ts';
export { type RunOptions, runInWorkers } from './workers/run-in-workers.ts';
export { serveUntilStopped } from './workers/stop-signal.ts';
