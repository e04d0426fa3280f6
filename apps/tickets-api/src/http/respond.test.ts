import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { startApi } from '../api.fixture.ts';
import { connect } from '../people/people.fixture.ts';

const api = useStarted(startApi);

describe('a change', () => {
  it.each([
    ['ticket', () => '/tickets', 'subject'],
    ['reply', (ticketId: string) => `/ticket/${ticketId}/replies`, 'body'],
    ['field', () => '/ticket_fields', 'title'],
  ] as const)('of a %s tells when everything was like that already', async (_, toPath, name) => {
    const admin = connect(api, 'admin');
    const ticket = await api.addTicket();
    const fields = { [name]: 'As it is', ...(name === 'title' && { key: 'as_it_is', type: 'text' }) };
    const made = await admin('POST', `${toPath(ticket.id)}.json`, fields);
    expect(made.status, made.text).toBe(201);
    const path = new URL(String(made.headers.get('Location'))).pathname;
    const same = await admin('PATCH', path, { [name]: 'As it is' });
    const other = await admin('PATCH', path, { [name]: 'Otherwise' });
    expect([same, other].map(({ headers }) => headers.get('Keydesk-Changed'))).toEqual(['false', null]);
    expect([same.json.version, other.json.version]).toEqual([1, 2]);
  });
});
