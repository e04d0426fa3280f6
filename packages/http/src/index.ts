export { AppError, type AppErrorOptions, catalogue, type ErrorCode, type FieldError } from './app-error.ts';
export { errorResponses, type RenderProblem } from './error-responses.ts';
export { createHealth, type Health, type ReadinessCheck } from './health.ts';
export { type Listening, type ListenOptions, listen } from './listen.ts';
export { createLogger, type LoggerOptions } from './logger.ts';
export { type Problem, toAppError, toProblem } from './problem.ts';
export { requestLog } from './request-log.ts';
export { apiSecurityHeaders } from './security-headers.ts';
