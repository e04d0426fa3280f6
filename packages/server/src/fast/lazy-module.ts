import { createRequire } from 'node:module';
import { AppError } from '@keydesk/errors';

/**
 * Returns a function that loads a module at its first call. A process then does not hold the libraries of features that it
 * does not use (`docs/operations/performance.md`, memory).
 *
 * @param name as in an `import` of the caller, such as `qrcode`
 * @param from URL of the caller, `import.meta.url`
 * @throws {Error} if the module is not installed, so that a server with an incomplete installation does not start.
 *   The returned function throws an {@link AppError} `unavailable` if loading fails, such as for lack of file
 *   descriptors; its next call tries again.
 */
export function lazyModule<Module>(name: string, from: string): () => Module {
  const require = createRequire(from);
  const path = require.resolve(name);
  return function load() {
    try {
      return require(path);
    } catch (cause) {
      throw new AppError('unavailable', 'This feature is temporarily unavailable; try again later.', {
        cause,
      });
    }
  };
}
