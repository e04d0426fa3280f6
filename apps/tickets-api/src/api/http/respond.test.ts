import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { startApi } from '../../tests/api.fixture.ts';
import { connect } from '../people/people.fixture.ts';

const api = useStarted(startApi);

describe('Keydesk-Changed', () => {
  it.each([
    ['ticket', () => '/tickets', 'subject'],
    ['reply', (ticketId: string) => `/ticket/${ticketId}/replies`, 'body'],
    ['field', () => '/ticket_fields', 'title'],
  ] as const)('is false for a change of a %s that changes nothing', async (_, toPath, name) => {
    const admin = connect(api, 'admin');
    const ticket = await api.addTicket();
    const fields = { [name]: 'Same', ...(name === 'title' && { key: 'as_it_is', type: 'text' }) };
    const made = await admin('POST', `${toPath(ticket.id)}.json`, fields);
    expect(made.status, made.text).toBe(201);
    const path = new URL(String(made.headers.get('Location'))).pathname;
    const same = await admin('PATCH', path, { [name]: 'Same' });
    const other = await admin('PATCH', path, { [name]: 'Other' });
    expect([same, other].map(({ headers }) => headers.get('Keydesk-Changed'))).toEqual(['false', null]);
    expect([same.json.version, other.json.version]).toEqual([1, 2]);
  });
});
