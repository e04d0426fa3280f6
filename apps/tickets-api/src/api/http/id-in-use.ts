import { AppError } from '@keydesk/server';

/** Existing resource under an id that a client chose for a new one. */
export interface ExistingResource {
  url: string;
  /** @throws {AppError} when the viewer cannot see the resource */
  find: () => Promise<unknown>;
}

/**
 * Creates a resource. If its id is in use, adds the URL of the existing resource to the error, provided the viewer may see it.
 *
 * @throws {AppError} `id_in_use`, and any error of `create`
 */
export async function createOrLinkExisting<T>(
  create: () => Promise<T>,
  existing: ExistingResource,
): Promise<T> {
  try {
    return await create();
  } catch (err) {
    if (!(err instanceof AppError && err.code === 'id_in_use') || !(await isVisible(existing))) throw err;
    throw new AppError(err.code, err.message, { cause: err, extensions: { resource_url: existing.url } });
  }
}

async function isVisible({ find }: ExistingResource): Promise<boolean> {
  try {
    await find();
    return true;
  } catch (err) {
    if (err instanceof AppError && err.status < 500) return false;
    throw err;
  }
}
