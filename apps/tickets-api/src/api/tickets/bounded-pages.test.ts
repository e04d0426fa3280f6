import { useStarted } from '@keydesk/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { adding } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import { startApi } from '../../tests/api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';
import { newTicket } from './new-ticket.fixture.ts';

const YEARS = ['2021', '2022', '2023', '2024', '2025', '2026'];
const TICKETS_A_YEAR = 1_000;

/** Matches are rare and old; a page has to read past all other tickets. */
describe('a list whose condition no index covers', () => {
  const api = useStarted(startApi);
  let agent: Send;
  beforeAll(async () => {
    agent = signIn(api, 'agent', 'grace@example.com', { name: 'Grace' });
    for (const year of YEARS) {
      const at = `${year}-01-01T00:00:00.000Z`;
      const many = Array.from({ length: TICKETS_A_YEAR }, () => adding(newTicket({}, at)));
      const one = adding(newTicket({ channel: 'phone', subject: 'a walrus' }, `${year}-01-02T00:00:00.000Z`));
      await api.storage.tickets.commit([...many, one]);
    }
  });

  const find = async (query: string) => (await agent('GET', `/tickets.json?${query}`)).json;

  it('has short pages that each read 2,000 tickets, and is complete in the end', async () => {
    const found: number[] = [];
    let path = 'channel=phone';
    for (;;) {
      const { tickets, next_cursor } = await find(path);
      found.push((tickets as unknown[]).length);
      if (next_cursor === null) break;
      path = `channel=phone&cursor=${next_cursor}`;
    }
    expect(found).toEqual([2, 2, 2, 0]);
  });

  it('begins at the bound of its other time', async () => {
    const [first, second] = ['2021-06-01T00:00:00Z', '2025-06-01T00:00:00Z'];
    const pages = [
      await find(`updated_at[lt]=${first}&limit=1`),
      await find(`updated_at[lte]=${first}&created_at[lte]=${second}&limit=1`),
      await find(`created_at[gt]=${second}&sort=updated_at&limit=1`),
      await find(`created_at[gte]=${second}&updated_at[gte]=${first}&sort=updated_at&limit=1`),
    ];
    const times = pages.map(({ tickets }) => (tickets as { created_at: string }[])[0]?.created_at);
    const [oldest, newest] = ['2021-01-02T00:00:00.000Z', '2026-01-01T00:00:00.000Z'];
    expect(times).toEqual([oldest, oldest, newest, newest]);
  });

  it('is counted among its first 5,000 tickets, and the count is reported as inexact', async () => {
    expect(await find('channel=phone&total=true')).toMatchObject({ total: 5, total_is_exact: false });
  });

  it('has exactly the matches of words and phrases that many tickets have', async () => {
    const totals = [];
    for (const q of ['fire printer', '"printer is on"', '"fire printer"', 'prin walrus']) {
      totals.push(await find(`q=${q}&created_at[lt]=2021-06-01T00:00:00Z&total=true&limit=50`));
    }
    const exact = { total_is_exact: true, next_cursor: null };
    expect(totals).toMatchObject([
      { total: TICKETS_A_YEAR, total_is_exact: true, tickets: { length: 50 } },
      { total: TICKETS_A_YEAR, total_is_exact: true, tickets: { length: 50 } },
      { total: 0, ...exact },
      { total: 0, ...exact },
    ]);
  });

  it('has one page and an exact count if few tickets match a search', async () => {
    expect(await find('q=walrus&total=true')).toMatchObject({
      tickets: { length: YEARS.length },
      total: YEARS.length,
      total_is_exact: true,
      next_cursor: null,
    });
  });
});
