import { describe, expect, it } from 'vitest';
import { createEraser } from './eraser.ts';

const personId = '0197a000-0000-7000-8000-000000000001';
const erase = createEraser({ email: 'ada@example.com', personId });
const placeholder = `${personId}@erased.invalid`;

describe('createEraser', () => {
  it.each([
    ['write to Ada@Example.com, please', 'write to [erased], please'],
    ['<ada@example.com>', '<[erased]>'],
    ['it is ada@example.com.', 'it is [erased].'],
    ['ADA@EXAMPLE.COM', placeholder],
    ['nada@example.com is another', 'nada@example.com is another'],
    ['ada@example.com.au is another', 'ada@example.com.au is another'],
    ['ada@example.company is another', 'ada@example.company is another'],
    ['adaXexampleXcom', 'adaXexampleXcom'],
  ])('erases an address in text, but not as part of a longer one: %j', (before, after) => {
    expect(erase(before)).toBe(after);
  });

  it('erases the name in references and keeps the id', () => {
    const other = { id: 'other', email: 'bob@example.com', name: 'Bob' };
    expect(
      erase({
        requester: { id: personId, email: 'ada@example.com', name: 'Ada' },
        cc: [{ id: personId, email: 'earlier@example.com', name: 'Ada' }, other],
        actor: { type: 'person', id: personId, name: 'Ada' },
        tags: ['ada@example.com', placeholder],
        version: 3,
        due_at: null,
      }),
    ).toEqual({
      requester: { id: personId, email: placeholder, name: null },
      cc: [{ id: personId, email: placeholder, name: null }, other],
      actor: { type: 'person', id: personId, name: null },
      tags: [placeholder],
      version: 3,
      due_at: null,
    });
  });

  it('removes duplicates from a list only if they result from the erasure', () => {
    const list = ['a', 'ada@example.com', 'a', 'Ada@example.com', 'to ada@example.com', 'to [erased]'];
    expect(erase(list)).toEqual(['a', placeholder, 'a', 'to [erased]']);
  });
});
