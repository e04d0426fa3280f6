import { AppError } from '@keydesk/errors';
import type { z } from 'zod';
import { type Body, createInputParser } from './input/input.ts';
import { readForm } from './input/read-form.ts';
import { readXml } from './xml/read-xml.ts';

/** Bodies in the form that the request readers return. */
export const json = (value: unknown): Body => ({ format: 'json', value });
export const xml = (content: string): Body => ({
  format: 'xml',
  value: readXml(`<ticket>${content}</ticket>`, 'ticket'),
});
export const form = (text: string): Body => ({ format: 'form', value: readForm(text) });

/** Returns the faults of a body by a schema, as `field code message`. */
export function faultsOf(schema: z.ZodType, body: Body): string[] {
  try {
    createInputParser(schema)(body);
    return [];
  } catch (err) {
    if (!(err instanceof AppError) || err.code !== 'validation_failed') throw err;
    return err.errors.map(({ field, code, message }) => `${field} ${code} ${message}`);
  }
}
