import { AppError } from '@keydesk/http';

/** The resource that has an id which a client chose for a new one. */
export interface Existing {
  url: string;
  /** @throws {AppError} when there is no such resource for the viewer */
  find: () => Promise<unknown>;
}

/**
 * Creates a resource. Where its id is in use, the refusal has the URL of the resource, if the viewer may see that.
 *
 * @throws {AppError} `id_in_use`, and whatever `create` throws
 */
export async function createUnlessExisting<T>(create: () => Promise<T>, existing: Existing): Promise<T> {
  try {
    return await create();
  } catch (err) {
    if (!(err instanceof AppError && err.code === 'id_in_use') || !(await isVisible(existing))) throw err;
    throw new AppError(err.code, err.message, { cause: err, extensions: { resource_url: existing.url } });
  }
}

async function isVisible({ find }: Existing): Promise<boolean> {
  try {
    await find();
    return true;
  } catch (err) {
    if (err instanceof AppError && err.status < 500) return false;
    throw err;
  }
}
