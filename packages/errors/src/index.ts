export { AppError, type AppErrorOptions, catalogue, type ErrorCode, type FieldError } from './app-error.ts';
