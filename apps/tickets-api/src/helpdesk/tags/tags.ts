import type { AppError } from '@keydesk/errors';
import { z } from 'zod';
import { invalidData } from '../../wire/faults/validation-errors.ts';
import type { Viewer } from '../people/viewer.ts';
import type { ToChanges } from '../tickets/edits.ts';
import { assertStaff, pickDifferent } from '../tickets/permissions.ts';
import { tagSchema } from '../tickets/ticket.ts';

const MAX_TAGS = 100;

const tagsSchema = z
  .array(tagSchema)
  .min(1)
  .max(MAX_TAGS)
  .refine((given) => new Set(given).size === given.length, 'must not repeat a tag')
  .meta({ item: 'tag', uniqueItems: true, description: 'Tags to add' });

/** The body of `POST /ticket/{id}/tags`. */
export const addedTagsSchema = z.strictObject({ tags: tagsSchema });

/** The query parameters of `DELETE /ticket/{id}/tags`. */
export const removedTagsSchema = z.object({
  tag: z
    .string()
    .transform((text) => [...new Set(text.split(','))])
    .pipe(z.array(tagSchema).min(1).max(MAX_TAGS).meta({ item: 'tag' }))
    .describe('Tags to remove, separated by commas'),
});

/**
 * Adds tags to a ticket; tags that it already has keep their order.
 *
 * @throws {AppError} `forbidden`; `validation_failed` when the ticket would have more than 100 tags
 */
export function addTags(viewer: Viewer, added: readonly string[]): ToChanges {
  return (view) => {
    assertStaff(viewer, 'tag tickets');
    const tags = [...new Set([...view.tags, ...added])];
    if (tags.length > MAX_TAGS) throw tooMany();
    return pickDifferent({ tags }, view);
  };
}

/** Removes tags from a ticket; ignores tags that it does not have. @throws {AppError} `forbidden` */
export function removeTags(viewer: Viewer, removed: readonly string[]): ToChanges {
  return (view) => {
    assertStaff(viewer, 'take tags from tickets');
    return pickDifferent({ tags: view.tags.filter((tag) => !removed.includes(tag)) }, view);
  };
}

function tooMany(): AppError {
  const message = `must not give the ticket more than ${MAX_TAGS} tags`;
  return invalidData([{ field: 'tags', code: 'too_long', message }]);
}
